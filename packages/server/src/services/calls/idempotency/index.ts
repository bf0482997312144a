export {
  answerPlace,
  createKeyedCalls,
  type Begun,
  type KeyedCall,
  type KeyedCalls,
  type KeptAnswer,
} from './keyed-calls.ts';
