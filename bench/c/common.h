/* Small things that the upstream and the load generator of the bench share. Linux only. */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stddef.h>
#include <stdint.h>

/* Monotonic time in nanoseconds. */
uint64_t now_ns(void);

/* Prints a message and ends the program with status 1. */
void die(const char *message);

/* Makes a descriptor non-blocking; sockets also send small writes at once (TCP_NODELAY). */
void tune_socket(int fd);

/* Allows as many open files as the system permits. */
void raise_file_limit(void);

/* Ends the program when its parent ends, so that nothing is left behind by a bench that was killed. */
void die_with_parent(void);

/* The number after `name` in the arguments, or `fallback`. */
long option_long(int argc, char **argv, const char *name, long fallback);

/* The text after `name` in the arguments, or `fallback`. */
const char *option_text(int argc, char **argv, const char *name, const char *fallback);

/* Finds `\r\n\r\n`; returns the length of the head including it, or 0 when it is not complete. */
size_t head_length(const char *bytes, size_t size);

/* The value of Content-Length in a head, or -1 when there is none. */
long content_length(const char *head, size_t size);

/* True when the head says Transfer-Encoding: chunked. */
int is_chunked(const char *head, size_t size);

/* Reads a chunked body; all zero at its beginning. */
struct chunk_reader {
  enum { CHUNK_SIZE, CHUNK_DATA, CHUNK_TRAILER } phase;
  size_t size;    /* of the chunk, while its digits come */
  size_t left;    /* bytes of the chunk with its line end */
  int in_extension, line_bytes;
};

/* Takes bytes of a chunked body; returns how many belong to it, and sets `is_over` at its end. */
size_t take_chunks(struct chunk_reader *reader, const char *bytes, size_t size, int *is_over);

#endif
