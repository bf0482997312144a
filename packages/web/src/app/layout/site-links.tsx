import { Link } from '@tanstack/react-router';
import { type Text, useTranslate } from '../../lib/i18n.ts';
import { useStatus, type Status } from '../../lib/api/status.ts';
import { pages } from '../pages.ts';
import { pageTitles, text } from '../text.ts';

interface SiteLinksProps {
  className: string | undefined;
  onFollow?: () => void;
}

/** Pages of the top navigation, in order, with the documentation between them. */
const beforeDocs = ['/', '/token', '/pricing'];
const afterDocs = ['/docs/api', '/chat', '/status', '/about'];

const shortTitles: Readonly<Record<string, Text>> = { '/token': text.console, '/docs/api': text.api };

const titleOf = (path: string) =>
  shortTitles[path] ?? pages.find((page) => page.path === path)?.title ?? pageTitles.home;

/** True for pages that this site has. */
const isShown = (path: string, status: Status | undefined): boolean =>
  pages.some((page) => page.path === path && (!page.when || (status !== undefined && page.when(status))));

/** The links of the top navigation that exist on this site. */
export function SiteLinks({ className, onFollow }: SiteLinksProps) {
  const t = useTranslate();
  const status = useStatus();
  // On a phone the sheet lists the chat applications one by one instead.
  const hasChat = (status?.chats.length ?? 0) > 0 && onFollow === undefined;
  const linksTo = (paths: readonly string[]) =>
    paths
      .filter((path) => isShown(path, status) && (path !== '/chat' || hasChat))
      .map((path) => (
        <Link
          key={path}
          to={path}
          className={className}
          activeOptions={{ exact: path === '/' }}
          onClick={onFollow}
        >
          {t(titleOf(path))}
        </Link>
      ));
  return (
    <>
      {linksTo(beforeDocs)}
      {status?.docs_link && (
        <a href={status.docs_link} className={className} target="_blank" rel="noreferrer">
          {t(text.docs)}
        </a>
      )}
      {linksTo(afterDocs)}
    </>
  );
}
