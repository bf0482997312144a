/*
 * A light upstream on the OpenAI wire for the bench: one thread, epoll, answers prepared once.
 * Eight ports in a row, one for each case:
 *   port      JSON, about 600 bytes
 *   port + 1  a stream of 100 events in one write
 *   port + 2  a stream of 100 events, 7.5 ms apart
 *   port + 3  a stream of one event a second, or one every --slow-ms, that does not end until the peer closes
 *   port + 4  a stream of 100 events in one write, as OpenAI sends them: each with another text and other padding
 *   port + 5  a stream of 100 events in one write, as Anthropic sends them
 *   port + 6  a stream of 100 events in one write, as Gemini sends them
 *   port + 7  a stream that says nothing for 200 ms, not even its status, half of 100 events then, the rest 200 ms later
 * Every event is an HTTP chunk of its own, as vendors send them. Usage: upstream --port 4000 [--slow-ms 1000]
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

enum mode { MODE_JSON, MODE_ONCE, MODE_PACED, MODE_SLOW, MODE_PADDED, MODE_MESSAGES, MODE_GEMINI, MODE_THINKING, MODES };

static uint64_t period_ns[MODES] = {0, 0, 7500000ull, 1000000000ull, 0, 0, 0, 200000000ull};
enum { EVENTS = 100, MAX_EVENTS = 256, MAX_HEAD = 16 * 1024 };

struct text {
  char *bytes;
  size_t size;
};

struct connection {
  int fd;
  enum mode mode;
  int is_listener;
  char head[MAX_HEAD];
  size_t head_size;
  long body_left;      /* bytes of the request's body still to come; -1 while the head comes */
  int is_chunked;      /* the body comes in chunks, and `body_left` is 1 until it is over */
  struct chunk_reader chunks;
  int next_event;      /* of a paced stream; -1 while none runs */
  uint64_t due;        /* when that event is due */
  struct connection *next_due; /* queue of its mode, in order of time because the period is constant */
  int is_queued, is_closed;
};

static struct text json_answer, stream_head, once_answer, padded_answer, messages_answer, gemini_answer, stream_end, usage_event, text_event, thought_half, thought_rest;
static struct connection *queue_head[MODES], *queue_tail[MODES];
static int epoll_fd, timer_fd;

static struct text copy_text(const char *bytes) {
  struct text text = {strdup(bytes), strlen(bytes)};
  return text;
}

static void append(struct text *text, struct text part) {
  text->bytes = realloc(text->bytes, text->size + part.size + 1);
  memcpy(text->bytes + text->size, part.bytes, part.size + 1);
  text->size += part.size;
}

/* One server-sent event as one HTTP chunk. */
static struct text chunk(const char *data) {
  char bytes[1024];
  snprintf(bytes, sizeof bytes, "%zx\r\ndata: %s\n\n\r\n", strlen(data) + 8, data);
  return copy_text(bytes);
}

static const char *const words[] = {" quick", "The", ",", " fox", " jumps", " over\\n", " the", " laziest", " dog", "."};

static const char *word_of(int number) { return words[number % (int)(sizeof words / sizeof *words)]; }

/* An event with a text of its own, and letters that hide how long the text is. */
static struct text padded_event(int number) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  const char *word = word_of(number);
  char padding[32], data[768];
  size_t length = 16 - strlen(word);
  for (size_t i = 0; i < length; i++) padding[i] = letters[((size_t)number * 31 + i * 17 + i * i) % (sizeof letters - 1)];
  padding[length] = 0;
  snprintf(data, sizeof data,
           "{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
           "\"model\":\"bench-model\",\"service_tier\":\"default\",\"system_fingerprint\":\"fp_bench\","
           "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"},\"logprobs\":null,\"finish_reason\":null}],"
           "\"usage\":null,\"obfuscation\":\"%s\"}",
           word, padding);
  return chunk(data);
}

/* An event of Anthropic's, with its name. */
static struct text named_chunk(const char *name, const char *data) {
  char bytes[1024];
  snprintf(bytes, sizeof bytes, "%zx\r\nevent: %s\ndata: %s\n\n\r\n", strlen(name) + strlen(data) + 16, name, data);
  return copy_text(bytes);
}

static void prepare_messages(void) {
  messages_answer = copy_text(stream_head.bytes);
  append(&messages_answer, named_chunk("message_start",
      "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_bench\",\"type\":\"message\",\"role\":\"assistant\","
      "\"model\":\"bench-model\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":57,"
      "\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"output_tokens\":1}}}"));
  append(&messages_answer, named_chunk("content_block_start",
      "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}"));
  append(&messages_answer, named_chunk("ping", "{\"type\":\"ping\"}"));
  for (int i = 0; i < EVENTS - 6; i++) {
    char data[256];
    snprintf(data, sizeof data,
             "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}}", word_of(i));
    append(&messages_answer, named_chunk("content_block_delta", data));
  }
  append(&messages_answer, named_chunk("content_block_stop", "{\"type\":\"content_block_stop\",\"index\":0}"));
  append(&messages_answer, named_chunk("message_delta",
      "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},"
      "\"usage\":{\"output_tokens\":98}}"));
  append(&messages_answer, named_chunk("message_stop", "{\"type\":\"message_stop\"}"));
  append(&messages_answer, copy_text("0\r\n\r\n"));
}

static void prepare_gemini(void) {
  gemini_answer = copy_text(stream_head.bytes);
  for (int i = 1; i <= EVENTS; i++) {
    char data[768];
    snprintf(data, sizeof data,
             "{\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"%s\"}],\"role\": \"model\"},%s\"index\": 0}],"
             "\"usageMetadata\": {\"promptTokenCount\": 57,\"candidatesTokenCount\": %d,\"totalTokenCount\": %d,"
             "\"promptTokensDetails\": [{\"modality\": \"TEXT\",\"tokenCount\": 57}]},"
             "\"modelVersion\": \"bench-model\",\"responseId\": \"bench\"}",
             word_of(i), i == EVENTS ? "\"finishReason\": \"STOP\"," : "", i, 57 + i);
    append(&gemini_answer, chunk(data));
  }
  append(&gemini_answer, copy_text("0\r\n\r\n"));
}

static void prepare_answers(void) {
  const char *body =
      "{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion\",\"created\":1700000000,\"model\":\"bench-model\","
      "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"The quick brown fox jumps over the "
      "lazy dog. The quick brown fox jumps over the lazy dog. The quick brown fox jumps over the lazy dog. The quick "
      "brown fox jumps over the lazy dog. The quick brown fox jumps over it once more.\",\"refusal\":null},\"logprobs\":null,\"finish_reason\":\"stop\"}],"
      "\"usage\":{\"prompt_tokens\":57,\"completion_tokens\":40,\"total_tokens\":97,\"prompt_tokens_details\":"
      "{\"cached_tokens\":0}},\"system_fingerprint\":\"fp_bench\"}";
  char head[256];
  snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
           strlen(body));
  json_answer = copy_text(head);
  append(&json_answer, copy_text(body));
  stream_head = copy_text("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
                          "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n");
  text_event = chunk("{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
                     "\"model\":\"bench-model\",\"system_fingerprint\":\"fp_bench\",\"choices\":[{\"index\":0,"
                     "\"delta\":{\"content\":\" word\"},\"logprobs\":null,\"finish_reason\":null}]}");
  usage_event = chunk("{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
                      "\"model\":\"bench-model\",\"system_fingerprint\":\"fp_bench\",\"choices\":[],"
                      "\"usage\":{\"prompt_tokens\":57,\"completion_tokens\":98,\"total_tokens\":155}}");
  stream_end = chunk("[DONE]");
  append(&stream_end, copy_text("0\r\n\r\n"));
  once_answer = copy_text(stream_head.bytes);
  for (int i = 0; i < EVENTS - 2; i++) append(&once_answer, text_event);
  append(&once_answer, usage_event);
  append(&once_answer, stream_end);
  padded_answer = copy_text(stream_head.bytes);
  for (int i = 0; i < EVENTS - 2; i++) append(&padded_answer, padded_event(i));
  append(&padded_answer, usage_event);
  append(&padded_answer, stream_end);
  thought_half = copy_text(stream_head.bytes);
  thought_rest = copy_text("");
  for (int i = 0; i < EVENTS - 2; i++) append(i < EVENTS / 2 ? &thought_half : &thought_rest, text_event);
  append(&thought_rest, usage_event);
  append(&thought_rest, stream_end);
  prepare_messages();
  prepare_gemini();
}

static void close_connection(struct connection *connection) {
  if (connection->is_closed) return;
  connection->is_closed = 1;
  close(connection->fd);
  /* A queued connection is freed when the queue reaches it. */
  if (!connection->is_queued) free(connection);
}

/* Answers are far smaller than a socket's buffer; a peer that does not read loses its connection. */
static int send_all(struct connection *connection, struct text text) {
  if (send(connection->fd, text.bytes, text.size, MSG_NOSIGNAL) != (ssize_t)text.size) {
    close_connection(connection);
    return 0;
  }
  return 1;
}

static void arm_timer(void) {
  uint64_t due = 0;
  for (int mode = 0; mode < MODES; mode++)
    if (queue_head[mode] && (due == 0 || queue_head[mode]->due < due)) due = queue_head[mode]->due;
  struct itimerspec spec = {{0, 0}, {(time_t)(due / 1000000000ull), (long)(due % 1000000000ull)}};
  timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

static void enqueue(struct connection *connection, uint64_t due) {
  enum mode mode = connection->mode;
  connection->due = due;
  connection->is_queued = 1;
  connection->next_due = NULL;
  if (queue_tail[mode]) queue_tail[mode]->next_due = connection;
  else queue_head[mode] = connection;
  queue_tail[mode] = connection;
}

static void send_thought(struct connection *connection, uint64_t due) {
  int is_first = connection->next_event++ == 0;
  if (!send_all(connection, is_first ? thought_half : thought_rest)) return;
  if (is_first) return enqueue(connection, due + period_ns[MODE_THINKING]);
  connection->next_event = -1;
}

static void send_due_event(struct connection *connection, uint64_t due) {
  if (connection->mode == MODE_THINKING) return send_thought(connection, due);
  int event = connection->next_event++;
  int is_last = connection->mode == MODE_PACED && event == EVENTS - 1;
  struct text text = is_last ? stream_end : event == EVENTS - 2 && connection->mode == MODE_PACED ? usage_event : text_event;
  if (!send_all(connection, text)) return;
  if (!is_last) return enqueue(connection, due + period_ns[connection->mode]);
  connection->next_event = -1;
}

static void run_due_events(void) {
  uint64_t ignored;
  if (read(timer_fd, &ignored, sizeof ignored) < 0 && errno != EAGAIN) die("timerfd");
  uint64_t now = now_ns();
  for (int mode = 0; mode < MODES; mode++) {
    struct connection *connection;
    while ((connection = queue_head[mode]) && connection->due <= now) {
      queue_head[mode] = connection->next_due;
      if (!queue_head[mode]) queue_tail[mode] = NULL;
      connection->is_queued = 0;
      if (connection->is_closed) free(connection);
      else send_due_event(connection, connection->due);
    }
  }
  arm_timer();
}

static void answer(struct connection *connection) {
  connection->body_left = -1;
  if (connection->mode == MODE_JSON) return (void)send_all(connection, json_answer);
  if (connection->mode == MODE_ONCE) return (void)send_all(connection, once_answer);
  if (connection->mode == MODE_PADDED) return (void)send_all(connection, padded_answer);
  if (connection->mode == MODE_MESSAGES) return (void)send_all(connection, messages_answer);
  if (connection->mode == MODE_GEMINI) return (void)send_all(connection, gemini_answer);
  connection->next_event = 0;
  if (connection->mode == MODE_THINKING) {
    enqueue(connection, now_ns() + period_ns[MODE_THINKING]);
  } else {
    if (!send_all(connection, stream_head)) return;
    send_due_event(connection, now_ns());
  }
  arm_timer();
}

/* Takes what has arrived; a request is answered when its body is complete. Returns 0 when the connection is gone. */
static int take_bytes(struct connection *connection, const char *bytes, size_t size) {
  while (size > 0) {
    if (connection->body_left >= 0 && connection->is_chunked) {
      int is_over;
      size_t used = take_chunks(&connection->chunks, bytes, size, &is_over);
      bytes += used;
      size -= used;
      if (is_over) connection->body_left = 0;
    } else if (connection->body_left >= 0) {
      size_t part = size < (size_t)connection->body_left ? size : (size_t)connection->body_left;
      bytes += part;
      size -= part;
      connection->body_left -= (long)part;
    } else {
      size_t room = MAX_HEAD - connection->head_size;
      size_t part = size < room ? size : room;
      memcpy(connection->head + connection->head_size, bytes, part);
      size_t length = head_length(connection->head, connection->head_size + part);
      if (length == 0) {
        connection->head_size += part;
        if (part < size || room == part) return close_connection(connection), 0;
        return 1;
      }
      size_t used = length - connection->head_size;
      bytes += used;
      size -= used;
      connection->head_size = 0;
      long body = content_length(connection->head, length);
      connection->is_chunked = is_chunked(connection->head, length);
      connection->body_left = connection->is_chunked ? 1 : body < 0 ? 0 : body;
    }
    if (connection->body_left == 0) {
      answer(connection);
      if (connection->is_closed) return 0;
    }
  }
  return 1;
}

static void read_connection(struct connection *connection) {
  static char buffer[256 * 1024];
  ssize_t size = recv(connection->fd, buffer, sizeof buffer, 0);
  if (size > 0) take_bytes(connection, buffer, (size_t)size);
  else if (size == 0 || errno != EAGAIN) close_connection(connection);
}

static void watch(struct connection *connection) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = connection};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, connection->fd, &event) != 0) die("epoll_ctl");
}

static struct connection *new_connection(int fd, enum mode mode) {
  struct connection *connection = calloc(1, sizeof *connection);
  connection->fd = fd;
  connection->mode = mode;
  connection->body_left = -1;
  connection->next_event = -1;
  return connection;
}

static void accept_all(struct connection *listener) {
  int fd;
  while ((fd = accept(listener->fd, NULL, NULL)) >= 0) {
    tune_socket(fd);
    watch(new_connection(fd, listener->mode));
  }
}

static void listen_on(int port, enum mode mode) {
  int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) die("bind");
  if (listen(fd, 4096) != 0) die("listen");
  tune_socket(fd);
  struct connection *listener = new_connection(fd, mode);
  listener->is_listener = 1;
  watch(listener);
}

int main(int argc, char **argv) {
  die_with_parent();
  signal(SIGPIPE, SIG_IGN);
  raise_file_limit();
  prepare_answers();
  epoll_fd = epoll_create1(0);
  timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct epoll_event timer = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, timer_fd, &timer);
  int port = (int)option_long(argc, argv, "--port", 4000);
  period_ns[MODE_SLOW] = (uint64_t)option_long(argc, argv, "--slow-ms", 1000) * 1000000ull;
  for (int mode = 0; mode < MODES; mode++) listen_on(port + mode, (enum mode)mode);
  printf("listening\n");
  fflush(stdout);
  for (;;) {
    struct epoll_event events[MAX_EVENTS];
    int count = epoll_wait(epoll_fd, events, MAX_EVENTS, -1);
    for (int i = 0; i < count; i++) {
      struct connection *connection = events[i].data.ptr;
      if (!connection) continue;
      if (connection->is_listener) accept_all(connection);
      else read_connection(connection);
    }
    /* After all reads: a freed connection must not be named by a later event of the same round. */
    if (queue_head[MODE_PACED] || queue_head[MODE_SLOW] || queue_head[MODE_THINKING]) run_due_events();
  }
}
