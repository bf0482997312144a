export { type CapturedStore, createCapturedTexts } from './captured-texts.ts';
export { createKeptAnswers, type KeptAnswers, type PricedAnswer } from './kept-answers.ts';
export {
  answerPlace,
  createKeyedCalls,
  type KeyedCall,
  type KeyedCalls,
  type KeptAnswer,
} from './keyed-calls.ts';
