/* The program that filters packets, and what it needs of the machine that it runs on. */

#ifndef FILTER_H
#define FILTER_H

#include <stddef.h>
#include <stdint.h>

/* Filters some packets with the class file. Returns 0, or where it failed. */
int filter(const uint8_t *class_file, size_t class_length);

/* Prints a verdict on a packet, as a line. */
void say(const char *verdict, const uint8_t *packet, size_t length);

#endif
