/* Runs the filter on a host: the class file is the program's argument. */

#include <stdio.h>

#include "filter.h"

void say(const char *verdict, const uint8_t *packet, size_t length) {
  printf("%-8s %.*s\n", verdict, (int)length, (const char *)packet);
}

int main(int argc, char **argv) {
  static uint8_t class_file[65536];
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL) {
    fputs("usage: filter Filter.class\n", stderr);
    return 64;
  }
  const size_t length = fread(class_file, 1, sizeof class_file, file);
  fclose(file);
  return filter(class_file, length);
}
