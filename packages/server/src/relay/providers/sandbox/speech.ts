import { type JsonObject, textOf } from '../../../lib/json.ts';
import type { LocalAnswer } from '../../types/index.ts';
import { type Behaviour, inPieces, typedEvents, countTokens } from './chat.ts';
import { media } from './media.ts';

const pieceBytes = 1_024;

/** Three tones as a WAV file, whatever the text. */
export function speech(body: JsonObject, behaviour: Behaviour): LocalAnswer {
  const sound = media('speech.wav');
  const parts: Buffer[] = [];
  for (let at = 0; at < sound.length; at += pieceBytes) parts.push(sound.subarray(at, at + pieceBytes));
  if (body.stream_format !== 'sse') return inPieces(parts, 'audio/wav', behaviour);
  const input = countTokens(textOf(body.input));
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
