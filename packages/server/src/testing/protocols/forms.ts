/** A form in a client's format, with its boundary. */
export interface WrittenForm {
  body: Buffer;
  contentType: string;
}

/** One part: its headers without the final line end, and its value. */
export interface WrittenPart {
  head: string;
  value: Buffer | string;
}

/** A text field in the usual format of clients. */
export const field = (name: string, value: string): WrittenPart => ({
  head: `Content-Disposition: form-data; name="${name}"`,
  value,
});

/** A file in the usual format of clients. */
export const file = (name: string, fileName: string, value: Buffer, type = 'audio/wav'): WrittenPart => ({
  head: `Content-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: ${type}`,
  value,
});

/** Writes a form exactly as its parts define it. The form may be invalid. */
export function writeForm(parts: readonly WrittenPart[], boundary = 'test-boundary'): WrittenForm {
  const pieces = parts.flatMap(({ head, value }) => [
    Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
  return {
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

/** Content of a form, from the platform's own parser: texts unchanged, files as name and base64. */
export async function readByPlatform(body: Buffer, contentType: string): Promise<[string, string][]> {
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': contentType },
  }).formData();
  const entries: [string, string][] = [];
  for (const [name, value] of form) {
    if (typeof value === 'string') entries.push([name, value]);
    else entries.push([name, `${value.name}:${Buffer.from(await value.arrayBuffer()).toString('base64')}`]);
  }
  return entries;
}

/** A mono 16-bit WAV file of `seconds` at 8,000 samples per second. `declaredBytes` is the size in its header. */
export function wavFile(seconds: number, declaredBytes = Math.round(seconds * 16_000)): Buffer {
  const bytes = Math.round(seconds * 16_000);
  const wav = Buffer.alloc(44 + bytes);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(Math.min(36 + declaredBytes, 0xffffffff), 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(8_000, 24);
  wav.writeUInt32LE(16_000, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(declaredBytes, 40);
  for (let at = 0; at < bytes; at += 1) wav[44 + at] = (at * 7) & 0xff;
  return wav;
}
