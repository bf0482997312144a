/*
 * A light load generator for the bench: one thread, epoll, kept-alive connections, HTTP/1.1.
 *
 *   load --port P --path /v1/... --body FILE [--auth KEY | --keys FILE] [--done TEXT] [--header 'Name: value']... and one of
 *     --connections N --requests M             closed loop: each connection sends its next request after an answer
 *     --connections N --rate R --seconds S     open loop: R requests a second whether or not answers come; time
 *                                              counts from when a request was due, so that waiting is not hidden
 *     --connections N --hold-seconds H         opens N streams, says so, reads them until stdin closes or H is over
 *
 * --header may be given several times; its headers are sent with each request, behind the usual ones.
 * With --keys each request takes the next line of the file as its key; all lines are of one length.
 * Prints one line of JSON. With --done TEXT an answer without TEXT near its end counts as failed.
 */
#define _GNU_SOURCE
#include "common.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum phase { PHASE_HEAD, PHASE_LENGTH, PHASE_CHUNK_SIZE, PHASE_CHUNK_DATA, PHASE_TRAILER };
enum { MAX_HEAD = 64 * 1024, MAX_EVENTS = 256, TAIL = 512, OPENING_AT_ONCE = 128 };

struct connection {
  int fd, is_busy, status;
  const char *request;
  size_t sent;
  enum phase phase;
  char *head;
  size_t head_size;
  long left;        /* bytes of the body or of the chunk with its line end */
  long chunk_size;  /* while its digits come */
  int line_bytes;   /* of the trailer's current line */
  uint64_t started; /* when the request was due */
  uint64_t first;   /* when the first byte of the body came; 0 before */
  char tail[TAIL];
  struct connection *next_idle;
};

static struct {
  int port, is_holding;
  const char *done;
  long connections, requests, rate;
  uint64_t interval_ns, deadline;
  char *request_list; /* one request for each key, all of one size */
  size_t request_size;
  long keys;
} options;

static struct connection *idle;
static int epoll_fd, timer_fd;
static long opened, started, answered, failed, streams_open, waiting;
static uint64_t begin, finish, body_bytes;
static uint32_t *first_us, *total_us;
static uint64_t *due_at;  /* ring of open-loop requests that found no free connection */

static void start_request(struct connection *connection, uint64_t due);

static void watch(struct connection *connection) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = connection};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, connection->fd, &event) != 0) die("epoll_ctl");
}

static void connect_socket(struct connection *connection) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options.port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  connection->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connection->fd < 0) die("socket");
  tune_socket(connection->fd);
  if (connect(connection->fd, (struct sockaddr *)&address, sizeof address) != 0 && errno != EINPROGRESS) die("connect");
  watch(connection);
}

static struct connection *open_connection(void) {
  struct connection *connection = calloc(1, sizeof *connection);
  connection->head = malloc(MAX_HEAD);
  opened++;
  connect_socket(connection);
  return connection;
}

static void send_rest(struct connection *connection) {
  while (connection->sent < options.request_size) {
    ssize_t size = send(connection->fd, connection->request + connection->sent, options.request_size - connection->sent,
                        MSG_NOSIGNAL);
    if (size < 0) return;
    connection->sent += (size_t)size;
  }
}

static void start_request(struct connection *connection, uint64_t due) {
  connection->request = options.request_list + (size_t)(started % options.keys) * options.request_size;
  started++;
  connection->is_busy = 1;
  connection->started = due;
  connection->sent = 0;
  connection->first = 0;
  connection->phase = PHASE_HEAD;
  connection->head_size = 0;
  memset(connection->tail, 0, TAIL);
  send_rest(connection);
}

/* What a free connection does next. */
static void go_on(struct connection *connection) {
  if (options.rate > 0) {
    if (waiting > 0) {
      uint64_t due = due_at[(started) % options.requests];
      waiting--;
      start_request(connection, due);
      return;
    }
    connection->next_idle = idle;
    idle = connection;
  } else if (started < options.requests) {
    start_request(connection, now_ns());
  }
}

static void end_request(struct connection *connection, int is_good) {
  long index = answered + failed;
  finish = now_ns();
  connection->is_busy = 0;
  if (options.is_holding) {
    fprintf(stderr, "a stream ended with status %d\n", connection->status);
    failed++;
    return;
  }
  if (is_good && index < options.requests) {
    first_us[answered] = (uint32_t)((connection->first - connection->started) / 1000);
    total_us[answered] = (uint32_t)((finish - connection->started) / 1000);
    answered++;
  } else {
    failed++;
  }
  go_on(connection);
}

static void keep_tail(struct connection *connection, const char *bytes, size_t size) {
  if (!connection->first) {
    connection->first = now_ns();
    streams_open++;
  }
  body_bytes += size;
  if (size >= TAIL) {
    memcpy(connection->tail, bytes + size - TAIL, TAIL);
  } else {
    memmove(connection->tail, connection->tail + size, TAIL - size);
    memcpy(connection->tail + TAIL - size, bytes, size);
  }
}

static void end_answer(struct connection *connection) {
  const char *done = options.done;
  int is_done = *done == 0 || memmem(connection->tail, TAIL, done, strlen(done)) != NULL;
  end_request(connection, connection->status == 200 && is_done);
}

static size_t take_head(struct connection *connection, const char *bytes, size_t size) {
  size_t room = MAX_HEAD - connection->head_size, part = size < room ? size : room;
  memcpy(connection->head + connection->head_size, bytes, part);
  size_t length = head_length(connection->head, connection->head_size + part);
  if (length == 0) {
    if (part == room) die("an answer's head is too long");
    connection->head_size += part;
    return part;
  }
  size_t used = length - connection->head_size;
  connection->status = atoi(connection->head + 9);
  connection->chunk_size = 0;
  connection->left = content_length(connection->head, length);
  connection->phase = is_chunked(connection->head, length) ? PHASE_CHUNK_SIZE : PHASE_LENGTH;
  if (connection->phase == PHASE_LENGTH && connection->left < 0) die("an answer without length");
  if (connection->phase == PHASE_LENGTH && connection->left == 0) end_answer(connection);
  return used;
}

/* Takes one digit or line end of a chunk's size. */
static void take_size_digit(struct connection *connection, char c) {
  if (c >= '0' && c <= '9') connection->chunk_size = connection->chunk_size * 16 + (c - '0');
  else if (c >= 'a' && c <= 'f') connection->chunk_size = connection->chunk_size * 16 + (c - 'a' + 10);
  else if (c >= 'A' && c <= 'F') connection->chunk_size = connection->chunk_size * 16 + (c - 'A' + 10);
  else if (c == '\n') {
    connection->left = connection->chunk_size + 2;
    connection->line_bytes = 0;
    connection->phase = connection->chunk_size == 0 ? PHASE_TRAILER : PHASE_CHUNK_DATA;
  }
}

static size_t take_chunk_data(struct connection *connection, const char *bytes, size_t size) {
  size_t part = size < (size_t)connection->left ? size : (size_t)connection->left;
  long data = connection->left - 2; /* the line end behind the chunk is not body */
  if (data > 0) keep_tail(connection, bytes, part < (size_t)data ? part : (size_t)data);
  connection->left -= (long)part;
  if (connection->left == 0) {
    connection->chunk_size = 0;
    connection->phase = PHASE_CHUNK_SIZE;
  }
  return part;
}

static void take_trailer_byte(struct connection *connection, char c) {
  if (c == '\n') {
    if (connection->line_bytes == 0) return end_answer(connection);
    connection->line_bytes = 0;
  } else if (c != '\r') {
    connection->line_bytes++;
  }
}

static void take_bytes(struct connection *connection, const char *bytes, size_t size) {
  while (size > 0) {
    size_t used = 1;
    if (!connection->is_busy) die("bytes that belong to no request");
    switch (connection->phase) {
      case PHASE_HEAD:
        used = take_head(connection, bytes, size);
        break;
      case PHASE_LENGTH:
        used = size < (size_t)connection->left ? size : (size_t)connection->left;
        keep_tail(connection, bytes, used);
        connection->left -= (long)used;
        if (connection->left == 0) end_answer(connection);
        break;
      case PHASE_CHUNK_SIZE:
        take_size_digit(connection, *bytes);
        break;
      case PHASE_CHUNK_DATA:
        used = take_chunk_data(connection, bytes, size);
        break;
      case PHASE_TRAILER:
        take_trailer_byte(connection, *bytes);
        break;
    }
    bytes += used;
    size -= used;
  }
}

static void read_connection(struct connection *connection) {
  static char buffer[256 * 1024];
  for (;;) {
    ssize_t size = recv(connection->fd, buffer, sizeof buffer, 0);
    if (size > 0) {
      take_bytes(connection, buffer, (size_t)size);
      continue;
    }
    if (size < 0 && errno == EAGAIN) return;
    /* The peer closed: a request under way has failed; the connection is opened anew for the next. */
    close(connection->fd);
    connect_socket(connection);
    if (connection->is_busy) end_request(connection, 0);
    return;
  }
}

static void start_due_requests(void) {
  uint64_t ignored, now = now_ns();
  if (read(timer_fd, &ignored, sizeof ignored) < 0 && errno != EAGAIN) die("timerfd");
  for (;;) {
    long next = started + waiting;
    if (next >= options.requests) return;
    uint64_t due = begin + (uint64_t)next * options.interval_ns;
    if (due > now) {
      struct itimerspec spec = {{0, 0}, {(time_t)(due / 1000000000ull), (long)(due % 1000000000ull)}};
      timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &spec, NULL);
      return;
    }
    struct connection *connection = idle;
    if (connection) idle = connection->next_idle;
    else if (opened < options.connections) connection = open_connection();
    if (connection) {
      start_request(connection, due);
    } else {
      due_at[next % options.requests] = due;
      waiting++;
    }
  }
}

static int compare(const void *a, const void *b) {
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return (left > right) - (left < right);
}

static uint32_t percentile(uint32_t *sorted, double share) {
  return answered == 0 ? 0 : sorted[(long)((double)(answered - 1) * share)];
}

static void report(void) {
  qsort(first_us, (size_t)answered, sizeof *first_us, compare);
  qsort(total_us, (size_t)answered, sizeof *total_us, compare);
  printf("{\"answered\":%ld,\"failed\":%ld,\"seconds\":%.4f,\"bodyBytes\":%llu,"
         "\"firstUs\":{\"p50\":%u,\"p99\":%u},\"totalUs\":{\"p50\":%u,\"p99\":%u}}\n",
         answered, options.requests - answered, (double)(finish - begin) / 1e9, (unsigned long long)body_bytes,
         percentile(first_us, 0.5), percentile(first_us, 0.99), percentile(total_us, 0.5), percentile(total_us, 0.99));
}

/* A file's bytes with a zero behind them. */
static char *read_file(const char *name, size_t *size) {
  FILE *stream = name ? fopen(name, "rb") : NULL;
  if (!stream) die(name ? name : "--body");
  fseek(stream, 0, SEEK_END);
  *size = (size_t)ftell(stream);
  rewind(stream);
  char *bytes = malloc(*size + 1);
  if (fread(bytes, 1, *size, stream) != *size) die(name);
  bytes[*size] = 0;
  fclose(stream);
  return bytes;
}

/* The lines of all --header options. */
static char *further_headers(int argc, char **argv) {
  char *lines = strdup("");
  for (int i = 1; i + 1 < argc; i++) {
    if (strcmp(argv[i], "--header") != 0) continue;
    if (!strchr(argv[i + 1], ':')) die("--header 'Name: value'");
    size_t length = strlen(lines);
    lines = realloc(lines, length + strlen(argv[i + 1]) + 3);
    sprintf(lines + length, "%s\r\n", argv[i + 1]);
  }
  return lines;
}

static void prepare_requests(int argc, char **argv) {
  size_t body_size, unused;
  char *body = read_file(option_text(argc, argv, "--body", NULL), &body_size);
  const char *file = option_text(argc, argv, "--keys", NULL);
  char *further = further_headers(argc, argv);
  char *keys = file ? read_file(file, &unused) : strdup(option_text(argc, argv, "--auth", "none"));
  for (char *key = strtok(keys, "\n"); key; key = strtok(NULL, "\n")) {
    static char head[MAX_HEAD];
    int head_size = snprintf(head, sizeof head,
                             "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nContent-Type: "
                             "application/json\r\nAccept: application/json\r\nUser-Agent: bench\r\nContent-Length: "
                             "%zu\r\n%s\r\n",
                             option_text(argc, argv, "--path", "/"), options.port, key, body_size, further);
    if (head_size >= (int)sizeof head) die("--header: too long");
    size_t size = (size_t)head_size + body_size;
    if (options.keys > 0 && size != options.request_size) die("--keys of one length");
    options.request_size = size;
    options.request_list = realloc(options.request_list, (size_t)(options.keys + 1) * size);
    memcpy(options.request_list + (size_t)options.keys * size, head, (size_t)head_size);
    memcpy(options.request_list + (size_t)options.keys * size + head_size, body, body_size);
    options.keys++;
  }
  free(body);
  free(further);
  free(keys);
}

static void read_options(int argc, char **argv) {
  options.port = (int)option_long(argc, argv, "--port", 0);
  options.connections = option_long(argc, argv, "--connections", 1);
  options.rate = option_long(argc, argv, "--rate", 0);
  options.requests = option_long(argc, argv, "--requests", 0);
  options.done = option_text(argc, argv, "--done", "");
  long hold = option_long(argc, argv, "--hold-seconds", 0);
  long limit = option_long(argc, argv, "--max-seconds", 120);
  if (options.rate > 0) {
    options.requests = options.rate * option_long(argc, argv, "--seconds", 5);
    options.interval_ns = 1000000000ull / (uint64_t)options.rate;
  }
  if (hold > 0) {
    options.is_holding = 1;
    options.requests = options.connections;
    limit = hold;
  }
  if (options.requests <= 0 || options.port <= 0) die("--port and --requests, --rate or --hold-seconds");
  options.deadline = now_ns() + (uint64_t)limit * 1000000000ull;
  prepare_requests(argc, argv);
}

/* Opens the streams a few at a time, so that no listen queue overflows. Returns 1 when it is time to stop. */
static int hold_streams(int *has_said_so) {
  while (opened < options.connections && opened - streams_open < OPENING_AT_ONCE)
    start_request(open_connection(), now_ns());
  if (streams_open == options.connections && !*has_said_so) {
    *has_said_so = 1;
    printf("{\"open\":%ld}\n", streams_open);
    fflush(stdout);
  }
  return failed > 0;
}

static void begin_load(void) {
  struct epoll_event timer = {.events = EPOLLIN, .data.ptr = &timer_fd};
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, timer_fd, &timer);
  begin = finish = now_ns();
  if (options.is_holding) {
    struct epoll_event input = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = NULL};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, STDIN_FILENO, &input) != 0) die("stdin");
  } else if (options.rate > 0) {
    start_due_requests();
  } else {
    while (opened < options.connections && started < options.requests) start_request(open_connection(), now_ns());
  }
}

static void run_events(int *is_over) {
  struct epoll_event events[MAX_EVENTS];
  int count = epoll_wait(epoll_fd, events, MAX_EVENTS, 100);
  for (int i = 0; i < count; i++) {
    struct connection *connection = events[i].data.ptr;
    if (!connection) {
      *is_over = 1;
    } else if (events[i].data.ptr == (void *)&timer_fd) {
      start_due_requests();
    } else {
      if (connection->is_busy && events[i].events & EPOLLOUT) send_rest(connection);
      if (events[i].events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) read_connection(connection);
    }
  }
}

int main(int argc, char **argv) {
  int is_over = 0, has_said_so = 0;
  die_with_parent();
  signal(SIGPIPE, SIG_IGN);
  raise_file_limit();
  read_options(argc, argv);
  first_us = calloc((size_t)options.requests, sizeof *first_us);
  total_us = calloc((size_t)options.requests, sizeof *total_us);
  due_at = calloc((size_t)options.requests, sizeof *due_at);
  epoll_fd = epoll_create1(0);
  timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  begin_load();
  while (!is_over && now_ns() < options.deadline) {
    if (options.is_holding) is_over = hold_streams(&has_said_so) || is_over;
    else if (answered + failed >= options.requests) break;
    if (!is_over) run_events(&is_over);
  }
  if (!options.is_holding) report();
  return 0;
}
