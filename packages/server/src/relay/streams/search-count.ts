import { WrappedPipe } from './wrapped-pipe.ts';
import type { AnswerEnd } from '../types/index.ts';

/** Models that search the web once in every answer without reporting it, dated ones too (docs/compatibility.md#charge). */
export const alwaysSearches = (model: string): boolean =>
  /search-(preview|api)(-\d{4}-\d\d-\d\d)?$/.test(model);

/** Adds the one web search to the usage of such an answer. */
export class SearchCount extends WrappedPipe {
  protected override changeEnd(end: AnswerEnd): AnswerEnd {
    if (!end.usage || end.usage.webSearchCalls > 0) return end;
    return { ...end, usage: { ...end.usage, webSearchCalls: 1 } };
  }
}
