export { readAwsError } from './errors.ts';
export { AwsUnframer, isAwsStream, sseEvent } from './unframer.ts';
