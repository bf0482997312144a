import { inputTokens } from '@tollgate/contract';
import { openOpenaiPipe, readUsageOnly } from '../../families/openai/index.ts';
import { parseObject } from '../../../lib/json.ts';
import { WrappedPipe } from '../../streams/index.ts';
import type { AnswerEnd, AnswerSetup } from '../../types/index.ts';
import { rerankUsage } from '../../provider-kit/index.ts';

/** Reads an answer that providers have brought into shape; one without usage can be told what was counted here. */
export class RerankPipe extends WrappedPipe {
  constructor(setup: AnswerSetup) {
    super(openOpenaiPipe({ list: 'results', readText: readUsageOnly, hasText: false }, setup));
  }

  protected override changeEnd(end: AnswerEnd): AnswerEnd {
    const answer = end.usage || !end.tail ? undefined : parseObject(end.tail);
    if (end.outcome !== 'complete' || !answer) return end;
    const withUsage: AnswerEnd['withUsage'] = (usage) =>
      Buffer.from(JSON.stringify({ ...answer, usage: rerankUsage(inputTokens(usage)) }));
    return { ...end, withUsage };
  }
}
