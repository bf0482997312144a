import type { DollarPrice } from '@tollgate/contract';
import { text } from './text.ts';

/** Labels of price classes. */
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
