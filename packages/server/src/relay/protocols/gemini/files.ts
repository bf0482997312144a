import type { ChatRequest } from '../../types/index.ts';
import { fileAddresses } from '../../conversation/index.ts';

/** Google watches these itself. */
const watched = /^https?:\/\/(www\.)?(youtube\.com|youtu\.be)\//;

/** Addresses in a request: Gemini takes files as data alone. */
export const filesNeeded = (request: ChatRequest): string[] =>
  fileAddresses(request, ['image', 'audio', 'file']).filter((url) => !watched.test(url));
