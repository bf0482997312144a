import { overChannel } from '../../boot/workers/channel.ts';
import { asked } from '../../boot/workers/orders.ts';
import { ProcessLink } from '../../lib/processes/process-link.ts';

// A worker process that carries no calls.
const link = new ProcessLink(overChannel(process));
link.offer(asked.begin, () => 1);
link.offer(asked.figures, () => process.pid);
link.offer(asked.stop, () => {
  setImmediate(() => process.exit(0));
  return 0;
});
