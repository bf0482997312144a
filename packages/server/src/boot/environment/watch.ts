import { integer, secret, text } from './kinds.ts';

/** Who may read the metrics of a process, and where. */
export const watchVariables = {
  metricsToken: secret('METRICS_TOKEN', {
    fallback: '',
    minLength: 16,
    meaning:
      'Serves the figures of this process for Prometheus at `/metrics` to those who send it as a bearer token.',
  }),
  metricsPort: integer('METRICS_PORT', {
    fallback: 0,
    min: 0,
    max: 65_535,
    meaning: 'Serves them on a port of its own as well, without a token; 0 for none.',
  }),
  metricsHost: text('METRICS_HOST', {
    fallback: '127.0.0.1',
    meaning: 'Address that the port of the figures listens on.',
  }),
};
