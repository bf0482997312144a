import { secretMask } from '@tollgate/contract';

/** An address without its password, and the password as written (percent-encoded). */
export function splitProxy(proxy: string): { address: string; password: string } {
  const url = URL.parse(proxy);
  if (!url || url.password === '') return { address: proxy, password: '' };
  const { password } = url;
  url.password = '';
  return { address: url.href, password };
}

/** An address with its password restored; unchanged without a password. */
export function joinProxy(address: string, password: string): string {
  const url = URL.parse(address);
  if (!url || password === '') return address;
  url.password = password;
  return url.href;
}

/** An address with an unreadable password. */
export function maskedProxy(address: string): string {
  const url = URL.parse(address);
  if (!url) return address;
  const { protocol, username, host, pathname, search } = url;
  return `${protocol}//${username}:${secretMask}@${host}${pathname === '/' ? '' : pathname}${search}`;
}
