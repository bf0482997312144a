import { inputTokens } from '@tollgate/contract';
import { openOpenaiPipe, readUsageOnly } from '../../model/openai/wire.ts';
import { parseObject } from '../../model/passing/text-tap.ts';
import type { AnswerEnd, AnswerPipe, AnswerSetup, DeliveredText } from '../../model/protocol.ts';
import { rerankUsage } from '../../model/rerank.ts';

/** Reads an answer that providers have brought into shape; one without usage can be told what was counted here. */
export class RerankPipe implements AnswerPipe {
  private readonly pipe: AnswerPipe;

  constructor(setup: AnswerSetup) {
    this.pipe = openOpenaiPipe({ list: 'results', readText: readUsageOnly, hasText: false }, setup);
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
    const answer = end.usage || !end.tail ? undefined : parseObject(end.tail);
    if (end.outcome !== 'complete' || !answer) return end;
    const withUsage: AnswerEnd['withUsage'] = (usage) =>
      Buffer.from(JSON.stringify({ ...answer, usage: rerankUsage(inputTokens(usage)) }));
    return { ...end, withUsage };
  }

  takeText(): DeliveredText {
    return this.pipe.takeText();
  }
}
