#define _GNU_SOURCE
#include "common.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

void die(const char *message) {
  perror(message);
  exit(1);
}

void tune_socket(int fd) {
  int yes = 1;
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL, 0) | O_NONBLOCK);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

void raise_file_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void die_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

const char *option_text(int argc, char **argv, const char *name, const char *fallback) {
  for (int i = 1; i + 1 < argc; i++)
    if (strcmp(argv[i], name) == 0) return argv[i + 1];
  return fallback;
}

long option_long(int argc, char **argv, const char *name, long fallback) {
  const char *text = option_text(argc, argv, name, NULL);
  return text ? atol(text) : fallback;
}

size_t head_length(const char *bytes, size_t size) {
  const char *end = memmem(bytes, size, "\r\n\r\n", 4);
  return end ? (size_t)(end - bytes) + 4 : 0;
}

/* The start of a header's value in a head, or NULL. Names compare without case. */
static const char *header_value(const char *head, size_t size, const char *name) {
  size_t length = strlen(name);
  const char *end = head + size;
  for (const char *line = head; line < end;) {
    const char *next = memchr(line, '\n', (size_t)(end - line));
    if (!next) return NULL;
    if ((size_t)(next - line) > length && line[length] == ':' && strncasecmp(line, name, length) == 0) {
      const char *value = line + length + 1;
      while (*value == ' ') value++;
      return value;
    }
    line = next + 1;
  }
  return NULL;
}

long content_length(const char *head, size_t size) {
  const char *value = header_value(head, size, "content-length");
  return value ? atol(value) : -1;
}

int is_chunked(const char *head, size_t size) {
  const char *value = header_value(head, size, "transfer-encoding");
  return value && strncasecmp(value, "chunked", 7) == 0;
}

/* One byte of the line before a chunk: digits, perhaps an extension, and the line end. */
static void take_size_byte(struct chunk_reader *reader, char c) {
  if (c == '\n') {
    reader->phase = reader->size == 0 ? CHUNK_TRAILER : CHUNK_DATA;
    reader->left = reader->size + 2;
    reader->line_bytes = reader->in_extension = 0;
  } else if (c == ';') {
    reader->in_extension = 1;
  } else if (!reader->in_extension) {
    if (c >= '0' && c <= '9') reader->size = reader->size * 16 + (size_t)(c - '0');
    else if ((c | 32) >= 'a' && (c | 32) <= 'f') reader->size = reader->size * 16 + (size_t)((c | 32) - 'a' + 10);
  }
}

size_t take_chunks(struct chunk_reader *reader, const char *bytes, size_t size, int *is_over) {
  size_t used = 0;
  *is_over = 0;
  while (used < size && !*is_over) {
    if (reader->phase == CHUNK_DATA) {
      size_t part = size - used < reader->left ? size - used : reader->left;
      used += part;
      reader->left -= part;
      if (reader->left == 0) *reader = (struct chunk_reader){0};
    } else if (reader->phase == CHUNK_SIZE) {
      take_size_byte(reader, bytes[used++]);
    } else {
      char c = bytes[used++];
      if (c == '\n') *is_over = reader->line_bytes == 0, reader->line_bytes = 0;
      else if (c != '\r') reader->line_bytes++;
    }
  }
  if (*is_over) *reader = (struct chunk_reader){0};
  return used;
}
