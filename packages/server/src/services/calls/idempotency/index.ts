export {
  answerPlace,
  createKeyedCalls,
  type KeyedCall,
  type KeyedCalls,
  type KeptAnswer,
} from './keyed-calls.ts';
