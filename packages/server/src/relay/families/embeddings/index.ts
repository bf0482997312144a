export {
  fromGeminiEmbeddings,
  fromOpenaiEmbeddings,
  toGeminiEmbeddings,
  toOpenaiEmbeddings,
  geminiEmbeddingsAt,
  packFloats,
} from './convert.ts';
