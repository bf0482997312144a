import type { DollarPrice } from '@tollgate/contract';
import { text } from './text.ts';

/** What has a price, in the words of people. */
export const priceLabels = {
  call: text.call,
  input: text.input,
  output: text.output,
  cacheRead: text.cacheRead,
  cacheWrite: text.cacheWrite,
  imageInput: text.imageInput,
  imageOutput: text.imageOutput,
  audioInput: text.audioInput,
  audioOutput: text.audioOutput,
} as const satisfies Record<keyof DollarPrice, unknown>;
