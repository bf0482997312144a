/** The wire protocols, one folder each under relay/protocols. */
export type ProtocolId =
  | 'openai-chat'
  | 'openai-completions'
  | 'openai-embeddings'
  | 'openai-moderations'
  | 'openai-responses'
  | 'openai-compact'
  | 'openai-images'
  | 'openai-audio'
  | 'anthropic-messages'
  | 'gemini'
  | 'gemini-embeddings'
  | 'gemini-predict'
  | 'bedrock-converse'
  | 'cohere-chat'
  | 'dify-chat'
  | 'coze-chat'
  | 'cohere-rerank';
