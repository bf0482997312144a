import { readFileSync } from 'node:fs';

const folder = new URL('./media/', import.meta.url);
const read = new Map<string, Buffer>();

/** A picture, a sound or a film of the sandbox, by the name of its file. It is read once. */
export function media(name: string): Buffer {
  const known = read.get(name);
  if (known) return known;
  const bytes = readFileSync(new URL(name, folder));
  read.set(name, bytes);
  return bytes;
}

/** A picture or a sound as a data URL, because nothing serves the sandbox's files. */
export const dataUrl = (name: string): string =>
  `data:${name.endsWith('.png') ? 'image/png' : 'audio/wav'};base64,${media(name).toString('base64')}`;
