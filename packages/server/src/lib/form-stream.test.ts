import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { scanForm } from './form.ts';
import { FormStream } from './form-stream.ts';

const boundary = 'b0undary';
const fieldOf = (name: string, value: string): string =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const fileOf = (bytes: string, name = 'file'): string =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\n${bytes}\r\n`;
const end = `--${boundary}--\r\n`;
const random = (most: number): number => Math.floor(Math.random() * most);

interface Passed {
  whole: Buffer | undefined;
  /** What was passed on, also of a refused form. */
  sent: string;
  fields: Record<string, string>;
  fileBytes: number;
  error: Error | undefined;
}

/** Passes a form in pieces of random sizes. */
async function pass(
  form: string,
  { most = 40, refused = '', maxFileBytes = 1_000_000 } = {},
): Promise<Passed> {
  const fields: Record<string, string> = {};
  const stream = new FormStream(boundary, {
    fileField: 'file',
    maxFileBytes,
    tooLarge: () => new Error('too large'),
    wrongFile: (field) => new Error(`wrong file ${field}`),
    field(name, value) {
      if (value === refused) throw new Error('refused');
      fields[name] = value;
    },
    complete: () => undefined,
  });
  const bytes = Buffer.from(form, 'latin1');
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = 1 + random(most);
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  const sent: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => sent.push(chunk));
  const done = new Promise<Error | undefined>((resolve) => {
    stream.on('end', () => resolve(undefined)).on('error', resolve);
  });
  Readable.from(pieces).pipe(stream);
  const error = await done;
  const whole = error ? undefined : await buffer(Readable.from(sent));
  return { whole, sent: Buffer.concat(sent).toString('latin1'), fields, fileBytes: stream.fileBytes, error };
}

describe('a form on its way', () => {
  it('passes byte for byte, in whatever pieces it arrives', async () => {
    for (let round = 0; round < Number(process.env['FUZZ_RUNS'] ?? 60); round += 1) {
      // Pieces of delimiters are the hardest content.
      const parts = [
        '\r',
        '\n',
        '\r\n',
        '-',
        '--',
        boundary.slice(0, 4),
        `\r\n--${boundary.slice(0, 7)}`,
        'é',
        '',
      ];
      const content = Array.from({ length: random(30) }, () => parts[random(parts.length)]).join('');
      const fields = ['purpose', 'note'].slice(0, random(3)).map((name) => fieldOf(name, `v-${name}`));
      const at = random(fields.length + 1);
      const form = [...fields.slice(0, at), fileOf(content), ...fields.slice(at), end].join('');
      const passed = await pass(form, { most: 1 + random(60) });
      expect(passed.error, JSON.stringify(form)).toBeUndefined();
      expect(passed.whole!.equals(Buffer.from(form, 'latin1')), JSON.stringify(form)).toBe(true);
      expect(passed.fileBytes).toBe(content.length);
      expect(Object.keys(passed.fields)).toHaveLength(fields.length);
    }
  });

  it('is refused where the whole form would be', async () => {
    const good = fieldOf('purpose', 'user_data') + fileOf('abc') + end;
    for (let round = 0; round < Number(process.env['FUZZ_RUNS'] ?? 60); round += 1) {
      const at = random(good.length);
      const other = ['', '\r', '\n', '-', '"', 'x', ';'][random(7)]!;
      const form = good.slice(0, at) + other + good.slice(at + random(3));
      let isForm = true;
      try {
        const names = scanForm(Buffer.from(form, 'latin1'), boundary).parts.map(
          ({ name, isFile }) => `${name} ${isFile}`,
        );
        isForm = names.filter((name) => name === 'file true').length === 1;
        isForm &&= names.every((name) => name === 'file true' || name.endsWith(' false'));
        isForm &&= new Set(names).size === names.length && !names.includes('file false');
      } catch {
        isForm = false;
      }
      const { whole, error } = await pass(form);
      expect(whole !== undefined, `${JSON.stringify(form)} ${error?.message}`).toBe(isForm);
    }
  });

  it('is not passed on as a whole where something behind its file is refused', async () => {
    const before = fieldOf('note', 'x') + fileOf('content');
    const whole = before + fieldOf('purpose', 'no') + end;
    const passed = await pass(whole, { refused: 'no' });
    expect(passed.error?.message).toBe('refused');
    expect(passed.sent).toBe(before.slice(0, -2));
    for (const [form, message] of [
      [fieldOf('purpose', 'x') + end, 'wrong file file'],
      [fileOf('a') + fileOf('b') + end, 'repeated_field'],
      [fileOf('a', 'image') + end, 'wrong file image'],
      [fieldOf('file', 'text') + end, 'wrong file file'],
      [fileOf('a') + fieldOf('purpose', 'x'.repeat(70_000)) + end, 'texts_too_long'],
      [fileOf('a'), 'broken_off'],
      [`${fileOf('a')}${end}more`, 'trailing_bytes'],
    ] as const)
      expect((await pass(form, { most: 9_000 })).error?.message).toBe(message);
  });

  it('ends as soon as its file is too long', async () => {
    const passed = await pass(fileOf('x'.repeat(50_000)) + end, { maxFileBytes: 10_000, most: 500 });
    expect(passed.error?.message).toBe('too large');
    expect(passed.sent.length).toBeLessThan(11_000);
    expect((await pass(fileOf('x'.repeat(10_000)) + end, { maxFileBytes: 10_000 })).error).toBeUndefined();
  });
});
