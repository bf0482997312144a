import { readOpenaiError } from '../../families/openai/index.ts';
import type { CallerProtocol } from '../../types/index.ts';
import { rerankInbound } from './inbound.ts';
import { RerankPipe } from './pipe.ts';

/** Reranking: which documents answer a query best. One shape for the callers of all vendors. */
export const cohereRerank: CallerProtocol = {
  id: 'cohere-rerank',
  inbound: rerankInbound,
  outbound: {
    id: 'cohere-rerank',
    openPipe: (setup) => new RerankPipe(setup),
    readError: readOpenaiError,
  },
};
