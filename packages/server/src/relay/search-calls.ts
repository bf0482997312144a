import type { AnswerEnd, AnswerPipe, DeliveredText } from './model/protocol.ts';

/** Models that search the web once in every answer without reporting it (wire-facts 6.3). */
export const searchesAlways = (model: string): boolean => model.endsWith('search-preview');

/** Adds the one web search to the usage of such an answer. */
export class SearchCount implements AnswerPipe {
  private readonly pipe: AnswerPipe;

  constructor(pipe: AnswerPipe) {
    this.pipe = pipe;
  }

  get contentType(): string {
    return this.pipe.contentType;
  }

  get failed(): boolean {
    return this.pipe.failed;
  }

  push(chunk: Buffer): Buffer | undefined {
    return this.pipe.push(chunk);
  }

  end(broken: boolean): AnswerEnd {
    const end = this.pipe.end(broken);
    if (!end.usage || end.usage.webSearchCalls > 0) return end;
    return { ...end, usage: { ...end.usage, webSearchCalls: 1 } };
  }

  takeText(): DeliveredText {
    return this.pipe.takeText();
  }
}
