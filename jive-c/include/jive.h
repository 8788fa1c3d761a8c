/* Loads Java class files and calls their methods, in memory that the caller lends. Nothing is allocated.
 *
 * Generated from jive-c/src by `BLESS=1 cargo test -p jive-c --test header`. Do not edit. */

#ifndef JIVE_H
#define JIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 How a function ended.
 */
typedef enum {
  /*
   The function did what its description says.
   */
  JIVE_STATUS_OK,
  /*
   The class file was refused: `jive_explain` says by which rule.
   */
  JIVE_STATUS_REFUSED,
  /*
   The call trapped: `jive_trap_name` and `jive_trap_at` say why and where.
   */
  JIVE_STATUS_TRAPPED,
  /*
   The lent memory is too small: `jive_memory_needed` says how much is needed.
   */
  JIVE_STATUS_NO_MEMORY,
  /*
   The class has no such method or field.
   */
  JIVE_STATUS_NOT_FOUND,
  /*
   A pointer is null, a text is no UTF-8, or an argument does not fit.
   */
  JIVE_STATUS_ARGUMENT,
  /*
   A native called the function for the instance that is calling the native.
   */
  JIVE_STATUS_BUSY,
} JiveStatus;

/*
 A loaded class with one instance of it, or the reason why the class was refused. It lies in the lent memory, and
 ends when the caller uses that memory for something else.
 */
typedef struct Jive Jive;

/*
 The heap of an instance, during the call of a native.
 */
typedef struct JiveHeap JiveHeap;

/*
 A method, for calls without a search for its name.
 */
typedef struct {
  /*
   Number of the method in the class.
   */
  uint32_t number;
} JiveMethod;

/*
 A native: a method of the class that the C program performs.

 `jive_load` keeps the pointer to the rows: they stay where they are as long as the class is used.
 */
typedef struct {
  /*
   Internal name of the class whose static method the native is, such as `"board/Led"`.
   */
  const char *class_name;
  /*
   Name of the method.
   */
  const char *name;
  /*
   Descriptor of the method (JVMS 4.3.3), such as `"([BI)V"`. A native takes and returns `int` and arrays of
   `boolean`, `byte`, `short` and `int`.
   */
  const char *descriptor;
  /*
   Performs the native. An array among the arguments is a number for `jive_heap_bytes`, or 0 for null. A native that
   is not void writes its result. A native that returns false traps with `ProtectionFault`. It must not call
   functions for the instance that called it, which answer `JIVE_STATUS_BUSY`.
   */
  bool (*callback)(void *context,
                   JiveHeap *heap,
                   const int32_t *arguments,
                   size_t argument_count,
                   int32_t *result);
  /*
   What the callback gets as its first argument.
   */
  void *context;
} JiveNative;

/*
 How much memory an instance may use, and how many nested calls.
 */
typedef struct {
  /*
   Bytes of heap for arrays.
   */
  size_t heap_bytes;
  /*
   How many calls may be nested, including the call from C.
   */
  size_t nested_calls;
} JiveRoom;

/*
 How much memory loading a class takes.
 */
typedef struct {
  /*
   Bytes that the class and its instance keep.
   */
  size_t memory;
  /*
   Bytes that are free again after loading.
   */
  size_t scratch;
} JiveNeeds;

/*
 A text that is not terminated by a zero: print it with `"%.*s"`. Empty if there is none.
 */
typedef struct {
  /*
   The first byte.
   */
  const uint8_t *bytes;
  /*
   The number of bytes.
   */
  size_t length;
} JiveText;

/*
 Which rule a refused class breaks, and where.
 */
typedef struct {
  /*
   The stable code, such as `"subset/long"`. `jive explain CODE` on a host explains it.
   */
  JiveText code;
  /*
   Number of the method in the class file, or -1 if the rule is not about a method.
   */
  int32_t method;
  /*
   The instruction, as its offset in the method's code, or -1 if the rule is not about an instruction.
   */
  int32_t pc;
  /*
   For bytes that are not a class file, the offset of the wrong one; otherwise -1.
   */
  int64_t offset;
} JiveRefusal;

/*
 A field, for access without a search for its name.
 */
typedef struct {
  /*
   Number of the field in the class.
   */
  uint32_t number;
} JiveField;

/*
 Where a call trapped.
 */
typedef struct {
  /*
   Name of the method, as bytes of the class file.
   */
  JiveText method;
  /*
   The instruction, as its offset in the method's code.
   */
  uint16_t pc;
  /*
   The line of the Java source, or 0 if the class has no line numbers.
   */
  uint16_t line;
} JivePlace;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Allocates a `byte[]` that lives as long as the instance, and gives its number.

 # Safety

 `jive` is of `jive_load`; `array` leads to an `int32_t`.
 */
JiveStatus jive_new_bytes(Jive *jive, size_t length, int32_t *array);

/*
 Returns the bytes of an array and their number, or null if the number is that of no array. Elements of a `short[]` or
 `int[]` are in little-endian order. The bytes stay where they are until the next call.

 # Safety

 `jive` is of `jive_load`; `length` is null or leads to a `size_t`.
 */
uint8_t *jive_bytes(Jive *jive,
                    int32_t array,
                    size_t *length);

/*
 Returns the bytes of an array for a native, as `jive_bytes` does.

 # Safety

 `heap` is what the callback got, and the callback has not returned; `length` is null or leads to a `size_t`.
 */
uint8_t *jive_heap_bytes(JiveHeap *heap,
                         int32_t array,
                         size_t *length);

/*
 Sets the fuel of each call that follows: how many instructions it may execute.

 # Safety

 `jive` is of `jive_load`.
 */
JiveStatus jive_fuel(Jive *jive, uint64_t fuel);

/*
 Returns the fuel that the last call used, or 0 if there was none.

 # Safety

 `jive` is of `jive_load`.
 */
uint64_t jive_fuel_used(const Jive *jive);

/*
 Calls a method. The instance is the receiver of a method that is not static.

 Arrays that the call allocates are freed at its end. After a trap the instance can still be called: its fields keep
 the state of the call that trapped. The result of a method that returns an array of the call is 0.

 # Safety

 `jive` is of `jive_load`; `arguments` leads to `argument_count` numbers; `result` is null or leads to an `int32_t`,
 which a void method leaves as it is. The callbacks of the natives may be called.
 */
JiveStatus jive_call(Jive *jive,
                     JiveMethod method,
                     const int32_t *arguments,
                     size_t argument_count,
                     int32_t *result);

/*
 Runs on the call that has just run out of fuel, with more. In the end the call has done what it would have done with
 all fuel at once, and `jive_fuel_used` counts all of it. Answers `JIVE_STATUS_ARGUMENT` if the last call did not run
 out of fuel.

 # Safety

 As for `jive_call`.
 */
JiveStatus jive_resume(Jive *jive,
                       uint64_t fuel,
                       int32_t *result);

/*
 Says how much memory `jive_load` needs for a class file. It parses the class, for which it needs some of the scratch
 memory itself. If that is too little, it answers `JIVE_STATUS_NO_MEMORY`, and `needs->scratch` is what it lacks.

 # Safety

 `class_file` leads to `class_length` bytes, `natives` to `native_count` rows, `scratch` to `scratch_length` bytes that
 nothing else uses, and `needs` to a `JiveNeeds`.
 */
JiveStatus jive_memory_needed(const uint8_t *class_file,
                              size_t class_length,
                              const JiveNative *natives,
                              size_t native_count,
                              JiveRoom room,
                              uint8_t *scratch,
                              size_t scratch_length,
                              JiveNeeds *needs);

/*
 Loads a class: parses, verifies and links it, makes an instance, and runs its static initializer and its constructor
 without parameters with `fuel` instructions each. `fuel` is the fuel of later calls too.

 `*jive` is a handle, or null if there is none. There is one after `JIVE_STATUS_OK`; after `JIVE_STATUS_REFUSED`, for
 `jive_explain` alone; and after `JIVE_STATUS_TRAPPED`, if an initializer trapped.

 # Safety

 `class_file` leads to `class_length` bytes, `natives` to `native_count` rows, `memory` to `memory_length` bytes and
 `scratch` to `scratch_length` bytes that nothing else uses. Class file, rows and memory stay as they are as long as
 the handle is used; the scratch memory is free when the function returns. `jive` leads to a `Jive *`. The callbacks of
 the natives may be called.
 */
JiveStatus jive_load(const uint8_t *class_file,
                     size_t class_length,
                     const JiveNative *natives,
                     size_t native_count,
                     JiveRoom room,
                     uint64_t fuel,
                     uint8_t *memory,
                     size_t memory_length,
                     uint8_t *scratch,
                     size_t scratch_length,
                     Jive **jive);

/*
 Says which rule a refused class breaks, and where. Answers `JIVE_STATUS_NOT_FOUND` if the class was not refused.

 # Safety

 `jive` is of `jive_load`; `refusal` leads to a `JiveRefusal`.
 */
JiveStatus jive_explain(const Jive *jive,
                        JiveRefusal *refusal);

/*
 Looks up a method that has code, by its name and its descriptor (JVMS 4.3.3), such as `"([BI)Z"`.

 # Safety

 `jive` is of `jive_load`; the texts end with a zero; `method` leads to a `JiveMethod`.
 */
JiveStatus jive_method(const Jive *jive,
                       const char *name,
                       const char *descriptor,
                       JiveMethod *method);

/*
 Looks up a field by its name and its descriptor (JVMS 4.3.2), such as `"I"` or `"[B"`.

 # Safety

 `jive` is of `jive_load`; the texts end with a zero; `field` leads to a `JiveField`.
 */
JiveStatus jive_field(const Jive *jive, const char *name, const char *descriptor, JiveField *field);

/*
 Gives the value of a field. The value of an array field is the array's number, or 0 for null.

 # Safety

 `jive` is of `jive_load`; `value` leads to an `int32_t`.
 */
JiveStatus jive_get(const Jive *jive, JiveField field, int32_t *value);

/*
 Sets a field: to a number that its type has, or to an array of the instance or 0.

 # Safety

 `jive` is of `jive_load`.
 */
JiveStatus jive_set(Jive *jive, JiveField field, int32_t value);

/*
 Returns the name of the trap that ended the last call, as in `"ArithmeticException"`; empty if there was none.

 # Safety

 `jive` is of `jive_load`.
 */
JiveText jive_trap_name(const Jive *jive);

/*
 Says where the last call trapped. Answers `JIVE_STATUS_NOT_FOUND` if it did not.

 # Safety

 `jive` is of `jive_load`; `place` leads to a `JivePlace`.
 */
JiveStatus jive_trap_at(const Jive *jive, JivePlace *place);

/*
 Says how much memory `jive_load` needs for a class file. It parses the class, for which it needs some of the scratch
 memory itself. If that is too little, it answers `JIVE_STATUS_NO_MEMORY`, and `needs->scratch` is what it lacks.

 # Safety

 `class_file` leads to `class_length` bytes, `natives` to `native_count` rows, `scratch` to `scratch_length` bytes that
 nothing else uses, and `needs` to a `JiveNeeds`.
 */
JiveStatus jive_memory_needed(const uint8_t *class_file,
                              size_t class_length,
                              const JiveNative *natives,
                              size_t native_count,
                              JiveRoom room,
                              uint8_t *scratch,
                              size_t scratch_length,
                              JiveNeeds *needs);

/*
 Loads a class: parses, verifies and links it, makes an instance, and runs its static initializer and its constructor
 without parameters with `fuel` instructions each. `fuel` is the fuel of later calls too.

 `*jive` is a handle, or null if there is none. There is one after `JIVE_STATUS_OK`; after `JIVE_STATUS_REFUSED`, for
 `jive_explain` alone; and after `JIVE_STATUS_TRAPPED`, if an initializer trapped.

 # Safety

 `class_file` leads to `class_length` bytes, `natives` to `native_count` rows, `memory` to `memory_length` bytes and
 `scratch` to `scratch_length` bytes that nothing else uses. Class file, rows and memory stay as they are as long as
 the handle is used; the scratch memory is free when the function returns. `jive` leads to a `Jive *`. The callbacks of
 the natives may be called.
 */
JiveStatus jive_load(const uint8_t *class_file,
                     size_t class_length,
                     const JiveNative *natives,
                     size_t native_count,
                     JiveRoom room,
                     uint64_t fuel,
                     uint8_t *memory,
                     size_t memory_length,
                     uint8_t *scratch,
                     size_t scratch_length,
                     Jive **jive);

/*
 Says which rule a refused class breaks, and where. Answers `JIVE_STATUS_NOT_FOUND` if the class was not refused.

 # Safety

 `jive` is of `jive_load`; `refusal` leads to a `JiveRefusal`.
 */
JiveStatus jive_explain(const Jive *jive,
                        JiveRefusal *refusal);

/*
 Looks up a method that has code, by its name and its descriptor (JVMS 4.3.3), such as `"([BI)Z"`.

 # Safety

 `jive` is of `jive_load`; the texts end with a zero; `method` leads to a `JiveMethod`.
 */
JiveStatus jive_method(const Jive *jive,
                       const char *name,
                       const char *descriptor,
                       JiveMethod *method);

/*
 Looks up a field by its name and its descriptor (JVMS 4.3.2), such as `"I"` or `"[B"`.

 # Safety

 `jive` is of `jive_load`; the texts end with a zero; `field` leads to a `JiveField`.
 */
JiveStatus jive_field(const Jive *jive, const char *name, const char *descriptor, JiveField *field);

/*
 Gives the value of a field. The value of an array field is the array's number, or 0 for null.

 # Safety

 `jive` is of `jive_load`; `value` leads to an `int32_t`.
 */
JiveStatus jive_get(const Jive *jive, JiveField field, int32_t *value);

/*
 Sets a field: to a number that its type has, or to an array of the instance or 0.

 # Safety

 `jive` is of `jive_load`.
 */
JiveStatus jive_set(Jive *jive, JiveField field, int32_t value);

/*
 Returns the name of the trap that ended the last call, as in `"ArithmeticException"`; empty if there was none.

 # Safety

 `jive` is of `jive_load`.
 */
JiveText jive_trap_name(const Jive *jive);

/*
 Says where the last call trapped. Answers `JIVE_STATUS_NOT_FOUND` if it did not.

 # Safety

 `jive` is of `jive_load`; `place` leads to a `JivePlace`.
 */
JiveStatus jive_trap_at(const Jive *jive, JivePlace *place);

/*
 Sets the fuel of each call that follows: how many instructions it may execute.

 # Safety

 `jive` is of `jive_load`.
 */
JiveStatus jive_fuel(Jive *jive, uint64_t fuel);

/*
 Returns the fuel that the last call used, or 0 if there was none.

 # Safety

 `jive` is of `jive_load`.
 */
uint64_t jive_fuel_used(const Jive *jive);

/*
 Calls a method. The instance is the receiver of a method that is not static.

 Arrays that the call allocates are freed at its end. After a trap the instance can still be called: its fields keep
 the state of the call that trapped. The result of a method that returns an array of the call is 0.

 # Safety

 `jive` is of `jive_load`; `arguments` leads to `argument_count` numbers; `result` is null or leads to an `int32_t`,
 which a void method leaves as it is. The callbacks of the natives may be called.
 */
JiveStatus jive_call(Jive *jive,
                     JiveMethod method,
                     const int32_t *arguments,
                     size_t argument_count,
                     int32_t *result);

/*
 Runs on the call that has just run out of fuel, with more. In the end the call has done what it would have done with
 all fuel at once, and `jive_fuel_used` counts all of it. Answers `JIVE_STATUS_ARGUMENT` if the last call did not run
 out of fuel.

 # Safety

 As for `jive_call`.
 */
JiveStatus jive_resume(Jive *jive,
                       uint64_t fuel,
                       int32_t *result);

/*
 Allocates a `byte[]` that lives as long as the instance, and gives its number.

 # Safety

 `jive` is of `jive_load`; `array` leads to an `int32_t`.
 */
JiveStatus jive_new_bytes(Jive *jive, size_t length, int32_t *array);

/*
 Returns the bytes of an array and their number, or null if the number is that of no array. Elements of a `short[]` or
 `int[]` are in little-endian order. The bytes stay where they are until the next call.

 # Safety

 `jive` is of `jive_load`; `length` is null or leads to a `size_t`.
 */
uint8_t *jive_bytes(Jive *jive,
                    int32_t array,
                    size_t *length);

/*
 Returns the bytes of an array for a native, as `jive_bytes` does.

 # Safety

 `heap` is what the callback got, and the callback has not returned; `length` is null or leads to a `size_t`.
 */
uint8_t *jive_heap_bytes(JiveHeap *heap,
                         int32_t array,
                         size_t *length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* JIVE_H */
