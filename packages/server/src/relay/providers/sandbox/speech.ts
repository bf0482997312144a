import { type JsonObject, textOf } from '../../../lib/json.ts';
import type { LocalAnswer } from '../../types/index.ts';
import { pieces, typedEvents } from './events.ts';
import type { Behaviour } from './models.ts';
import { countTokens, pieces as wordsOf } from './text.ts';

/** One byte for each moment, eight thousand a second: as small as sound can be. */
const rate = 8_000;
const wordSeconds = 0.2;
const maxWords = 300;
const pieceBytes = 4_096;

/** A tone for each word, as a WAV file; its height comes from the word. */
export function speech(body: JsonObject, behaviour: Behaviour): LocalAnswer {
  const text = textOf(body.input);
  const sound = sing(wordsOf(text).slice(0, maxWords));
  const parts: Buffer[] = [];
  for (let at = 0; at < sound.length; at += pieceBytes) parts.push(sound.subarray(at, at + pieceBytes));
  if (body.stream_format !== 'sse') return pieces(parts, 'audio/wav', behaviour);
  const input = countTokens(text);
  const output = parts.length;
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  return typedEvents(
    [
      ...parts.map((part) => ({ type: 'speech.audio.delta', audio: part.toString('base64') })),
      { type: 'speech.audio.done', ...(!behaviour.silentUsage && { usage }) },
    ],
    behaviour,
  );
}

function sing(words: readonly string[]): Buffer {
  const perWord = rate * wordSeconds;
  const sound = Buffer.alloc(44 + Math.max(1, words.length) * perWord, 0x80);
  writeHead(sound);
  for (const [index, word] of words.entries()) {
    const height = 220 + ((word.trim().codePointAt(0) ?? 0) % 440);
    for (let at = 0; at < perWord * 0.8; at += 1) {
      sound[44 + index * perWord + at] = 0x80 + Math.round(40 * Math.sin((2 * Math.PI * height * at) / rate));
    }
  }
  return sound;
}

/** The head of a WAV file: one channel, eight bits, no compression. */
function writeHead(sound: Buffer): void {
  sound.write('RIFF', 0);
  sound.writeUInt32LE(sound.length - 8, 4);
  sound.write('WAVEfmt ', 8);
  sound.writeUInt32LE(16, 16);
  sound.writeUInt16LE(1, 20);
  sound.writeUInt16LE(1, 22);
  sound.writeUInt32LE(rate, 24);
  sound.writeUInt32LE(rate, 28);
  sound.writeUInt16LE(1, 32);
  sound.writeUInt16LE(8, 34);
  sound.write('data', 36);
  sound.writeUInt32LE(sound.length - 44, 40);
}
