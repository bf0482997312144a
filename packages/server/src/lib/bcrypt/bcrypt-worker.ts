import { parentPort, workerData } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';
import type { BcryptQuestion } from './bcrypt.ts';

const { password, stored } = workerData as BcryptQuestion;
parentPort?.postMessage(compareSync(password, stored));
