import { openOpenaiPipe, readOpenaiError, readUsageOnly } from '../../families/openai/index.ts';
import type { AnswerEnd, AnswerSetup, CallerProtocol } from '../../types/index.ts';
import { rerankInbound } from './inbound.ts';
import { counter, inputTokens } from '@tollgate/contract';
import { type JsonObject, objectOf, parseObject } from '../../../lib/json.ts';
import { WrappedPipe } from '../../streams/index.ts';
import { rerankUsage } from '../../provider-kit/index.ts';

/** Reads an answer converted by the provider; without usage it can get the count made here. */
class RerankPipe extends WrappedPipe {
  constructor(setup: AnswerSetup) {
    super(openOpenaiPipe({ list: 'results', readText: readUsageOnly, hasText: false }, setup));
  }

  protected override changeEnd(end: AnswerEnd): AnswerEnd {
    if (end.outcome !== 'complete' || !end.tail) return end;
    // An answer with only tokens is not read a second time.
    if (end.usage && !end.tail.includes('"search_units"')) return end;
    const answer = parseObject(end.tail);
    if (!answer) return end;
    const searchUnits = searchUnitsIn(answer);
    const known = searchUnits > 0 ? { ...end, searchUnits } : end;
    if (end.usage) return known;
    const withUsage: AnswerEnd['withUsage'] = (usage) =>
      Buffer.from(JSON.stringify({ ...answer, usage: rerankUsage(inputTokens(usage)) }));
    return { ...known, withUsage };
  }
}

/** Search units: Cohere has them in `meta`, OpenRouter in `usage`; 0 without any. */
const searchUnitsIn = ({ meta, usage }: JsonObject): number =>
  counter(objectOf(objectOf(meta).billed_units).search_units) || counter(objectOf(usage).search_units);

/** Reranking: the documents that answer a query best. One format for the callers of all vendors. */
export const cohereRerank: CallerProtocol = {
  id: 'cohere-rerank',
  inbound: rerankInbound,
  outbound: {
    id: 'cohere-rerank',
    openPipe: (setup) => new RerankPipe(setup),
    readError: readOpenaiError,
  },
};
