// The thread that prices charges again, on a separate connection.
import { parentPort, workerData } from 'node:worker_threads';
import { openReader } from '../../../store/index.ts';
import { rehearse } from './rehearse.ts';
import type { FromThread, ThreadWork } from './thread-words.ts';

const { address, plan } = workerData as ThreadWork;
const post = (message: FromThread): void => parentPort?.postMessage(message);

const reader = await openReader(address);
try {
  const totals = await rehearse(reader, plan, (done) => post({ done }));
  post({ totals });
} catch (error) {
  post({ failed: error instanceof Error ? error.message : String(error) });
} finally {
  await reader.close();
}
