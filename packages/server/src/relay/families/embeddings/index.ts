export {
  fromGeminiEmbeddings,
  fromOpenaiEmbeddings,
  toGeminiEmbeddings,
  toOpenaiEmbeddings,
} from './convert.ts';
export { geminiEmbeddingsAt } from './gemini-endpoint.ts';
export { packFloats } from './pack-floats.ts';
