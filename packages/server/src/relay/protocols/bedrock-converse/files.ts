import type { ChatRequest, FetchedFile, Part, Source } from '../../model/chat.ts';

/** Addresses in a request: Converse takes files as data alone. */
export const filesNeeded = (request: ChatRequest): string[] =>
  request.messages.flatMap(({ parts }) => parts.flatMap(addressesIn));

function addressesIn(part: Part): string[] {
  if (part.type === 'tool-result') return part.parts.flatMap(addressesIn);
  if (part.type !== 'image' && part.type !== 'file') return [];
  return part.source.kind === 'url' ? [part.source.url] : [];
}

/** The file that was fetched for an address. */
export function fetchedSource(source: Source, files: ReadonlyMap<string, FetchedFile>): Source {
  const file = source.kind === 'url' ? files.get(source.url) : undefined;
  return file ? { kind: 'data', mediaType: file.mediaType, base64: file.base64 } : source;
}
