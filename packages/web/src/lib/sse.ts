/** The longest line kept, in characters: a stream without line ends must not fill the memory of the tab. */
const maxLineLength = 4_000_000;

/** The `data` of each server-sent event of a body; several data lines of one event are joined by line ends. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split(/\r\n|\n|\r/);
      rest = done ? '' : (lines.pop() ?? '');
      if (rest.length > maxLineLength) throw new Error('a line of the stream is too long');
      for (const line of lines) {
        if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
        else if (line === '' && data.length > 0) {
          yield data.join('\n');
          data = [];
        }
      }
      if (done) break;
    }
    if (data.length > 0) yield data.join('\n');
  } finally {
    // Also when the reader of the events stops early: the server must hear that nobody listens.
    await reader.cancel().catch(() => undefined);
  }
}
