import { defineProvider } from '../../model/define-provider.ts';
import { listModels, openaiEndpoints } from '../../model/openai/endpoints.ts';

/** Submodel serves open models under OpenAI's API. */
export const submodel = defineProvider({
  type: 53,
  id: 'submodel',
  name: 'Submodel',
  baseUrl: 'https://llm.submodel.ai',
  endpoints: openaiEndpoints(),
  fetchModels: listModels(),
});
