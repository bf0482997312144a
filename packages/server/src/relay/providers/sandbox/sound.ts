import { type JsonObject, textOf } from '../../../lib/json.ts';
import type { LocalAnswer, LocalRequest } from '../../types/index.ts';
import { type Behaviour, inPieces, typedEvents, countTokens, whole, pieces as wordsOf } from './chat.ts';
import { media } from './media.ts';

const pieceBytes = 1_024;

/** Three tones as a WAV file, for any text. */
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

/** Transcript of the sandbox: name and length of the file, in the requested format. */
export function transcription({ body, files }: LocalRequest, behaviour: Behaviour): LocalAnswer {
  const file = files.find(({ name }) => name === 'file');
  const seconds = file?.seconds;
  const length = seconds === undefined ? 'of a length it cannot tell' : `of ${seconds.toFixed(1)} seconds`;
  const text = `The sandbox heard ${file?.fileName ?? 'nothing'}, ${length}.`;
  const showsUsage = seconds !== undefined && !behaviour.silentUsage;
  const usage: JsonObject = showsUsage ? { usage: { type: 'duration', seconds: Math.ceil(seconds) } } : {};
  if (body.stream === true || body.stream === 'true') {
    const deltas = wordsOf(text).map((delta) => ({ type: 'transcript.text.delta', delta }));
    return typedEvents([...deltas, { type: 'transcript.text.done', text, ...usage }], behaviour);
  }
  const end = seconds ?? 1;
  switch (textOf(body.response_format)) {
    case 'text':
      return plain(`${text}\n`, behaviour);
    case 'srt':
      return plain(`1\n${clock(0, ',')} --> ${clock(end, ',')}\n${text}\n\n`, behaviour);
    case 'vtt':
      return plain(`WEBVTT\n\n${clock(0, '.')} --> ${clock(end, '.')}\n${text}\n\n`, behaviour);
    case 'verbose_json': {
      const segments = [{ id: 0, start: 0, end, text }];
      return whole(
        { task: 'transcribe', language: 'english', duration: end, text, segments, ...usage },
        behaviour,
      );
    }
    default:
      return whole({ text, ...usage }, behaviour);
  }
}

const plain = (text: string, behaviour: Behaviour): LocalAnswer =>
  inPieces([Buffer.from(text)], 'text/plain; charset=utf-8', behaviour);

/** A time in the form of subtitles: `00:00:01,500`. */
const clock = (seconds: number, mark: string): string =>
  new Date(Math.round(seconds * 1_000)).toISOString().slice(11, 23).replace('.', mark);
