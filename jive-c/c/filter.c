/* Filters packets with a class that javac compiled. The class file is linked into the program as bytes. */

#include "filter.h"

#include "jive.h"

/* Lent to the class for as long as it is used, and while it is loaded. */
static _Alignas(8) uint8_t memory[6144];
static _Alignas(8) uint8_t scratch[4096];

/* The native `report`: the class tells which packets it drops. */
static bool report(void *context, JiveHeap *heap, const int32_t *arguments, size_t argument_count,
                   int32_t *result) {
  unsigned *reported = context;
  size_t length = 0;
  const uint8_t *bytes = jive_heap_bytes(heap, arguments[0], &length);
  if (argument_count != 2 || bytes == NULL || arguments[1] < 0 ||
      (size_t)arguments[1] > length) {
    return false;
  }
  say("reported", bytes, (size_t)arguments[1]);
  *reported += 1;
  *result = (int32_t)*reported;
  return true;
}

int filter(const uint8_t *class_file, size_t class_length) {
  static const char *const packets[] = {"hello", "x", "", "hi", "UP"};
  unsigned reported = 0;
  const JiveNative natives[] = {{"Filter", "report", "([BI)I", report, &reported}};
  const JiveRoom room = {1600, 4};
  JiveNeeds needs = {0, 0};
  Jive *jive = NULL;
  JiveMethod accept;
  JiveField dropped;
  int32_t buffer, verdict, count;

  if (jive_memory_needed(class_file, class_length, natives, 1, room, scratch, sizeof scratch,
                         &needs) != JIVE_STATUS_OK ||
      needs.memory > sizeof memory || needs.scratch > sizeof scratch) {
    return 1;
  }
  if (jive_load(class_file, class_length, natives, 1, room, 10000, memory, sizeof memory, scratch,
                sizeof scratch, &jive) != JIVE_STATUS_OK ||
      jive_method(jive, "accept", "([BI)Z", &accept) != JIVE_STATUS_OK ||
      jive_field(jive, "dropped", "I", &dropped) != JIVE_STATUS_OK ||
      jive_new_bytes(jive, 1500, &buffer) != JIVE_STATUS_OK) {
    return 2;
  }
  for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++) {
    size_t room_for = 0, length = 0;
    uint8_t *bytes = jive_bytes(jive, buffer, &room_for);
    while (packets[i][length] != 0 && length < room_for) {
      bytes[length] = (uint8_t)packets[i][length];
      length++;
    }
    const int32_t arguments[] = {buffer, (int32_t)length};
    if (jive_call(jive, accept, arguments, 2, &verdict) != JIVE_STATUS_OK) {
      const JiveText name = jive_trap_name(jive);
      say("trapped", name.bytes, name.length);
      return 3;
    }
    say(verdict ? "accepted" : "dropped", (const uint8_t *)packets[i], length);
  }
  if (jive_get(jive, dropped, &count) != JIVE_STATUS_OK || count != 3 || reported != 3) {
    return 4;
  }
  return 0;
}
