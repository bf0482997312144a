import { type JsonObject, textOf } from '../../../lib/json.ts';
import type { LocalAnswer } from '../../types/index.ts';
import { type Behaviour, pieces, typedEvents } from './models.ts';
import { countTokens, pieces as wordsOf } from './chat.ts';
import { silence, soundRate } from './wav.ts';

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
  const perWord = soundRate * wordSeconds;
  const { file, moments } = silence(Math.max(1, words.length) * perWord);
  for (const [index, word] of words.entries()) {
    const height = 220 + ((word.trim().codePointAt(0) ?? 0) % 440);
    for (let at = 0; at < perWord * 0.8; at += 1) {
      moments[index * perWord + at] =
        0x80 + Math.round(40 * Math.sin((2 * Math.PI * height * at) / soundRate));
    }
  }
  return file;
}
