import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChoice } from './cases/choice.ts';
import { runGrowth } from './cases/growth.ts';
import { runLatency } from './cases/latency.ts';
import { runLedger } from './cases/ledger.ts';
import { runLongLog } from './cases/long-log.ts';
import { runMeter } from './cases/meter.ts';
import { runStart } from './cases/start.ts';
import { runStreams, warmUpForStreams } from './cases/streams.ts';
import { addTaskChannels, runOpenTasks, startBusyVendor } from './cases/tasks.ts';
import { runThroughput, throughputCases } from './cases/throughput.ts';
import { runTls } from './cases/tls.ts';
import { runTraces, startCollector, type TraceCost, tracedGateways } from './cases/traces.ts';
import { runWorkers } from './cases/workers.ts';
import { runTranslated } from './cases/translated.ts';
import { startBare, startFloor } from './parts/bare.ts';
import { besideChannels, findBeside } from './parts/beside.ts';
import { buildTools } from './parts/build.ts';
import { databaseNames } from './parts/database.ts';
import { type Gateway, hasGateway, startGateway } from './parts/gateway.ts';
import { Loader } from './parts/load.ts';
import { findNginx, startNginx } from './parts/nginx.ts';
import { freePorts, start } from './parts/process.ts';
import { type Subject, upstreamPorts } from './parts/subject.ts';
import { startTlsSubjects } from './parts/tls.ts';
import { describeMachine, record, render } from './tables/report.ts';
import type { Report } from './tables/types.ts';

const usage = `npm run bench -- [options]
  --only=LIST      parts to run: ${throughputCases.map(({ id }) => id).join(' ')} translated meter choice latency streams growth tls traces workers ledger tasks start logs
  --windows=N      windows of each case, 5 by default
  --streams=N      open streams, 2000 by default
  --tls-streams=N  open streams over TLS, 1000 by default
  --beside=URL     a gateway that runs on this machine, in the same windows; it needs --upstream-port, where its channels lead
  --beside-prefix=TEXT  stands before the names of models in its requests (openai/); BESIDE_KEY in the environment is its key
  --beside-pid=N   its process, if another one listens on its port
  --upstream-port=N  first port of the upstream; any free one by default
  --tls-beside=FOLDER  another checkout, whose lean engine is measured beside over TLS
  --log-rows=N     rows of the log, 1000000 by default
  --database=NAME  of the log and of retention: ${databaseNames.join(', ')}; sqlite by default
  --delete-seconds=N  how long old rows of the log are deleted beside calls, until a million is gone; 120 by default
  --many-streams=N open streams of the growth table, 10000 by default (ulimit -n 25000)
  --tasks=N        open tasks, 10000 by default
  --share=PART     of the workers' part: each process has this part of a core (0.25), as on a machine of more cores
  --profile=FOLDER  writes a profile of the gateway's processor time there (slows it down)
  --without-gateway  nginx alone, to check the bench itself
  --record         writes the table into docs/performance.md
  --json[=FILE]    prints the figures as JSON, or writes them to FILE beside the table`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    windows: { type: 'string', default: '5' },
    streams: { type: 'string', default: '2000' },
    'tls-streams': { type: 'string', default: '1000' },
    beside: { type: 'string', default: '' },
    'beside-prefix': { type: 'string', default: '' },
    'beside-pid': { type: 'string' },
    'upstream-port': { type: 'string' },
    'tls-beside': { type: 'string', default: '' },
    'log-rows': { type: 'string', default: '1000000' },
    database: { type: 'string', default: 'sqlite' },
    'delete-seconds': { type: 'string', default: '120' },
    'many-streams': { type: 'string', default: '10000' },
    tasks: { type: 'string', default: '10000' },
    share: { type: 'string' },
    profile: { type: 'string', default: '' },
    'without-gateway': { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
  // A bare --json prints; parseArgs wants a value for a text option.
  args: process.argv.slice(2).map((arg) => (arg === '--json' ? '--json=-' : arg)),
});

if (values.help) {
  console.log(usage);
  process.exit(0);
}

const parts = new Set(values.only.split(',').filter(Boolean));
const wants = (part: string) => parts.size === 0 || parts.has(part);
const say = (text: string) => console.error(text);
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

// The subjects have one core, load and upstream the other, so that they do not affect each other's figures.
const otherCore = cpus().length > 1 ? 1 : 0;
const windows = Number(values.windows);

/** Starts the compared programs: the upstream itself, nginx, the gateway. Missing ones are reported and left out. */
async function startSubjects(upstream: string): Promise<{ subjects: Subject[]; gateway: Gateway | null }> {
  const modes = Object.keys(upstreamPorts).length;
  const ports = await freePorts(4 * modes + 1);
  const upstreamPort = Number(values['upstream-port'] ?? ports);
  const direct: Subject = {
    name: 'direct',
    key: 'none',
    pids: [],
    port: (mode) => upstreamPort + upstreamPorts[mode],
  };
  await start(upstream, ['--port', String(upstreamPort)], { core: otherCore }).line('listening', 5_000);
  const subjects = [direct];
  const nginx = findNginx();
  if (nginx)
    subjects.push(
      await startNginx(nginx, 'nginx', { folder, port: ports + modes, upstream: upstreamPort, core: 0 }),
    );
  else say('nginx is not installed (Debian: apt-get install nginx-light): ratios are left out.');
  subjects.push(await startBare(ports + 2 * modes, upstreamPort, 0));
  if (hasGateway())
    subjects.push(await startFloor(ports + 3 * modes, upstreamPort, 0, join(folder, 'floor')));
  if (values.beside !== '') subjects.push(openBeside(values.beside, upstreamPort));
  if (values['without-gateway'] || !hasGateway()) return { subjects, gateway: null };
  const gateway = await startGateway({
    name: 'gateway',
    folder,
    port: ports + 4 * modes,
    upstream: { host: 'http://127.0.0.1', port: upstreamPort },
    core: 0,
    profile: values.profile,
  });
  return { subjects: [...subjects, gateway], gateway };
}

/** The gateway of `--beside`, with the set-up required of its owner. */
function openBeside(url: string, upstream: number): Subject {
  if (values['upstream-port'] === undefined)
    throw new Error('--beside needs --upstream-port: the gateway must lead to the same upstream');
  const pid = values['beside-pid'] === undefined ? undefined : Number(values['beside-pid']);
  const options = {
    url,
    key: process.env['BESIDE_KEY'] ?? 'none',
    modelPrefix: values['beside-prefix'],
    pid,
  };
  say(`${url} must lead these models to:\n${besideChannels(upstream)}`);
  return findBeside(options);
}

/** Engines over TLS, and the floor without it. */
async function runOverTls(loader: Loader, subjects: readonly Subject[]): Promise<Report['tls']> {
  const upstream = subjects.find(({ name }) => name === 'direct')!.port('json');
  const beside = values['tls-beside'];
  const started = await startTlsSubjects({ folder, upstream, core: 0, otherCore, beside });
  if (!started) return undefined;
  const floor = subjects.filter(({ name }) => name === 'floor');
  const streams = Number(values['tls-streams']);
  const costs = await runTls(loader, [...floor, ...started.subjects], { streams, windows, say });
  await started.stop();
  return costs;
}

/** Gateways that trace nothing, a tenth and all of their calls. */
async function runTraced(loader: Loader, upstream: number): Promise<TraceCost> {
  const collector = await startCollector();
  const gateways: Gateway[] = [];
  for (const { name, env } of tracedGateways) {
    const port = await freePorts(1);
    const traces = name === 'off' ? env : { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const place = { folder, port, upstream: { host: 'http://127.0.0.1', port: upstream }, core: 0 };
    gateways.push(await startGateway({ ...place, name, env: traces }));
  }
  const cost = await runTraces(loader, gateways, windows);
  for (const { running } of gateways) await running.stop();
  collector.close();
  return cost;
}

const latencyShape = { rate: 200, seconds: 5, windows: 3 };

/** The gateway runs in another process behind it. */
async function runTasks(gateway: Gateway): Promise<{ gateway: Gateway; tasks: Report['tasks'] }> {
  const vendor = await startBusyVendor();
  await addTaskChannels(gateway, vendor);
  let last = gateway;
  const tasks = await runOpenTasks(Number(values.tasks), vendor, async (before) => {
    await last.running.stop();
    before();
    const place = { folder, port: gateway.port('json'), upstream: { host: '', port: 0 }, core: 0 };
    return (last = await startGateway({ name: 'gateway', ...place, profile: values.profile }));
  });
  vendor.close();
  return { gateway: last, tasks };
}

async function run(): Promise<Report> {
  const machine = describeMachine();
  const tools = buildTools(folder);
  const { subjects, gateway: started } = await startSubjects(tools.upstream);
  let gateway = started;
  const loader = new Loader(tools.load, folder, otherCore);
  const measured = subjects.filter(({ name }) => ['nginx', 'beside', 'gateway'].includes(name));
  const compared = subjects.filter(({ name }) => name !== 'direct');
  const report: Report = {
    machine,
    date: new Date().toISOString().slice(0, 10),
    command: ['npm run bench', ...process.argv.slice(2, 3).map(() => '--'), ...process.argv.slice(2)].join(
      ' ',
    ),
    throughput: {},
  };
  // First, while the subjects are fresh, because memory left by earlier load would hide the memory of the streams.
  if (wants('streams')) {
    const count = Number(values.streams);
    report.streams = { count, subjects: {} };
    for (const subject of measured) {
      say(`${count} open streams through ${subject.name} …`);
      await warmUpForStreams(loader, subject);
      report.streams.subjects[subject.name] = await runStreams(loader, subject, count);
    }
  }
  for (const row of throughputCases.filter(({ id }) => wants(id))) {
    say(`${row.label} …`);
    report.throughput[row.id] = await runThroughput(loader, compared, row, windows);
  }
  if (wants('translated') && gateway) {
    say('streams in four protocols …');
    report.translated = await runTranslated(loader, gateway, windows);
  }
  if (wants('meter')) {
    say('the watch over the balance …');
    report.meter = await runMeter(windows);
  }
  if (wants('choice')) {
    say('the choice among few and many channels …');
    report.choice = await runChoice(windows);
  }
  if (wants('tls') && gateway) {
    const tls = await runOverTls(loader, subjects);
    if (tls) report.tls = tls;
  }
  if (wants('traces') && gateway) {
    say('calls that are traced …');
    report.traces = await runTraced(loader, subjects.find(({ name }) => name === 'direct')!.port('json'));
  }
  if (wants('workers') && gateway) {
    say('one process, two workers, four …');
    const place = { folder, upstream: subjects.find(({ name }) => name === 'direct')!.port('json') };
    const database = databaseNames.find((name) => name === values.database) ?? 'postgres';
    const share = values.share === undefined ? undefined : Number(values.share);
    report.workers = await runWorkers(loader, place, windows, share, database);
  }
  if (wants('latency')) {
    say('latency at 200 requests a second …');
    report.latency = {
      json: await runLatency(loader, subjects, 'json', latencyShape),
      thinking: await runLatency(loader, subjects, 'thinking', latencyShape),
    };
  }
  if (wants('growth') && gateway) {
    say('few and many of channels, keys, log rows, streams …');
    report.growth = await runGrowth(
      loader,
      {
        folder,
        upstreamProgram: tools.upstream,
        upstream: subjects.find(({ name }) => name === 'direct')!.port('json'),
        core: 0,
        otherCore,
      },
      { rows: Number(values['log-rows']), streams: Number(values['many-streams']), windows },
    );
  }
  if (wants('ledger')) {
    say('ledger …');
    report.ledger = await runLedger(folder);
  }
  if (wants('tasks') && gateway) {
    say(`${values.tasks} open tasks …`);
    const { tasks, gateway: again } = await runTasks(gateway);
    gateway = again;
    if (tasks) report.tasks = tasks;
  }
  if (wants('start') && gateway) {
    say('starts, and an idle process …');
    report.start = await runStart(gateway, windows);
  }
  await gateway?.running.stop();
  if (wants('logs') && hasGateway())
    report.logs = await runLongLog({
      database: values.database,
      rows: Number(values['log-rows']),
      deleteSeconds: Number(values['delete-seconds']),
      folder,
      say,
    });
  return report;
}

const report = await run();
if (values.json === '-') console.log(JSON.stringify(report, null, 2));
else console.log(`\n${render(report)}`);
if (values.record) record(report);
if (values.json !== undefined && values.json !== '-') {
  writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
}
process.exit(0);
