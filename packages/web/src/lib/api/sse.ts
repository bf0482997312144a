import { createParser, type ParseError } from 'eventsource-parser';

/** The most that is kept of an event that has not ended, in characters: it must not fill the memory of the tab. */
const maxBufferSize = 4_000_000;

/** The `data` of each server-sent event of a body; several data lines of one event are joined by line ends. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let events: string[] = [];
  let tooLong: ParseError | undefined;
  const parser = createParser({
    maxBufferSize,
    onEvent: ({ data }) => events.push(data),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') tooLong = error;
    },
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // A last event without its empty line counts, too.
      parser.feed(done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true }));
      if (tooLong) throw tooLong;
      yield* events;
      events = [];
      if (done) return;
    }
  } finally {
    // Also when the reader stops early, so that the server ends the stream.
    await reader.cancel().catch(() => undefined);
  }
}
