import { describeAnswers } from '../../../testing/wire/wire-tests.ts';
import { gemini } from '../../providers/gemini/index.ts';

describeAnswers(gemini, import.meta.dirname, [
  {
    asked: 'gemini-predict',
    model: 'imagen-4.0-generate-001',
    body: { parameters: { sampleCount: 2 } },
    url: 'https://generativelanguage.googleapis.com/v1beta/models/imagen-4.0-generate-001:predict',
    headers: { 'x-goog-api-key': 'test-channel-key' },
    answer: 'predict.json',
    shown: 'image/jpeg',
    usage: { input: 516 },
  },
]);
