import type { ChatRequest, FetchedFile, Part, Source } from '../types/index.ts';

/** A part that is not text: a vendor accepts it beside the text, or not at all. */
export type FilePart = Extract<Part, { type: 'image' | 'audio' | 'file' }>;

/**
 * Addresses in a request that its target protocol accepts only as data, by kinds of parts. Results of tools may have
 * files too.
 */
export const fileAddresses = (request: ChatRequest, kinds: readonly FilePart['type'][]): string[] =>
  request.messages.flatMap(({ parts }) => parts.flatMap((part) => addressesIn(part, kinds)));

function addressesIn(part: Part, kinds: readonly FilePart['type'][]): string[] {
  if (part.type === 'tool-result') return part.parts.flatMap((each) => addressesIn(each, kinds));
  if (part.type !== 'image' && part.type !== 'audio' && part.type !== 'file') return [];
  return kinds.includes(part.type) && part.source.kind === 'url' ? [part.source.url] : [];
}

/** The file that was fetched for an address, as data; without one, the unchanged source. */
export function fetchedSource(source: Source, files: ReadonlyMap<string, FetchedFile>): Source {
  const file = source.kind === 'url' ? files.get(source.url) : undefined;
  return file ? { kind: 'data', mediaType: file.mediaType, base64: file.base64 } : source;
}
