import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, start, type Running } from './process.ts';
import { type Subject, upstreamPorts, type UpstreamMode } from './subject.ts';

const modes = Object.keys(upstreamPorts) as UpstreamMode[];

/** Ports and files of an nginx in front of the upstream. */
export interface NginxPlace {
  folder: string;
  /** Port of the first mode; the others follow. */
  port: number;
  upstream: number;
  core: number;
  /** TLS towards callers: files of its certificate and key, and whether it offers HTTP/2. */
  tls?: { certFile: string; keyFile: string; http2: boolean };
}

/** One worker, kept-alive connections to the upstream, no buffering of answers, no access log: a minimal proxy. */
const configuration = ({ folder, port, upstream, tls }: NginxPlace): string => `
daemon off;
worker_processes 1;
worker_rlimit_nofile 65536;
pid ${folder}/nginx.pid;
error_log stderr warn;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 32768; }
http {
  access_log off;
  keepalive_requests 100000000;
  client_body_buffer_size 1m;
  client_max_body_size 64m;
  client_body_temp_path ${folder}/client-body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  ${tls ? `ssl_certificate ${tls.certFile}; ssl_certificate_key ${tls.keyFile};` : ''}
  ${modes
    .map((mode) => {
      const offset = upstreamPorts[mode];
      return `
  upstream ${mode} { server 127.0.0.1:${upstream + offset}; keepalive 512; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port + offset} backlog=4096${tls ? ' ssl' : ''}${tls?.http2 ? ' http2' : ''};
    location / {
      proxy_pass http://${mode};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 300s;
    }
  }`;
    })
    .join('\n')}
}
`;

/** The path of nginx, or null when there is none. */
export const findNginx = (): string | null =>
  ['nginx', '/usr/sbin/nginx'].find((path) => spawnSync(path, ['-v']).status === 0) ?? null;

async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Starts nginx before the upstream's ports. */
export async function startNginx(
  path: string,
  name: string,
  place: NginxPlace,
): Promise<Subject & { running: Running }> {
  const home = join(place.folder, name);
  const { port } = place;
  mkdirSync(home);
  writeFileSync(join(home, 'nginx.conf'), configuration({ ...place, folder: home }));
  const running = start(path, ['-p', home, '-c', join(home, 'nginx.conf')], { core: place.core });
  for (let tries = 0; !(await isListening(port)); tries += 1) {
    if (tries > 100) throw new Error(`nginx did not start:\n${running.printed()}`);
    await sleep(50);
  }
  return {
    name,
    key: 'none',
    port: (mode) => port + upstreamPorts[mode],
    pids: childrenOf(running.pid),
    running,
  };
}
