import { field, file, wavFile, writeForm, type WrittenForm } from '../protocols/forms.ts';
import { promptOf, type Script } from './world.ts';

/** Kind of the request; `voice` is a response of a realtime session. */
export type CallKind = 'chat' | 'image' | 'transcription' | 'voice';

/** A call in its request form. */
interface Written extends WrittenForm {
  path: string;
}

interface Asked {
  kind: Exclude<CallKind, 'voice'>;
  model: string;
  stream: boolean;
  script: Script;
}

const json = (body: object): WrittenForm => ({
  body: Buffer.from(JSON.stringify(body)),
  contentType: 'application/json',
});

/** Writes a call. The chunks of an image are images, those of a recording are its seconds. */
export function writeCall({ kind, model, stream, script }: Asked): Written {
  const prompt = promptOf(script);
  if (kind === 'image')
    return { path: '/v1/images/generations', ...json({ model, prompt, n: script.chunks }) };
  if (kind === 'transcription') {
    const parts = [
      field('model', model),
      field('prompt', prompt),
      file('file', 'a.wav', wavFile(script.chunks)),
    ];
    return { path: '/v1/audio/transcriptions', ...writeForm(parts) };
  }
  const messages = [{ role: 'user', content: prompt }];
  return { path: '/v1/chat/completions', ...json({ model, stream, messages }) };
}
