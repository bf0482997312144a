// An upstream over TLS in a thread, so that it answers while its caller is busy. Each answer is the number of
// connections so far; `answered` counts the answers.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { TestCertificate } from './test-certificate.ts';

const { certificate, answered } = workerData as { certificate: TestCertificate; answered: Int32Array };
let connections = 0;
const server = createServer(certificate, (req, res) => {
  req.resume().on('end', () =>
    res.end(String(connections), () => {
      Atomics.add(answered, 0, 1);
      Atomics.notify(answered, 0);
    }),
  );
});
server.on('secureConnection', () => (connections += 1));
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));
