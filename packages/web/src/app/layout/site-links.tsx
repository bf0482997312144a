import { Link } from '@tanstack/react-router';
import { useSay } from '../../lib/i18n.ts';
import { useStatus } from '../../lib/status.ts';
import { pages } from '../pages.ts';
import { pageTitles, text } from '../text.ts';

interface SiteLinksProps {
  className: string | undefined;
  onFollow?: () => void;
}

/** Pages of the top navigation that exist, in the order of specification 3, section 2. */
const topPages = ['/', '/token', '/pricing', '/about'].filter((path) =>
  pages.some((page) => page.path === path),
);

const titleOf = (path: string) =>
  path === '/token' ? text.console : (pages.find((page) => page.path === path)?.title ?? pageTitles.home);

/** The links of the top navigation; the documentation only where the site has one. */
export function SiteLinks({ className, onFollow }: SiteLinksProps) {
  const say = useSay();
  const docs = useStatus()?.docs_link;
  return (
    <>
      {topPages.map((path) => (
        <Link
          key={path}
          to={path}
          className={className}
          activeOptions={{ exact: path === '/' }}
          onClick={onFollow}
        >
          {say(titleOf(path))}
        </Link>
      ))}
      {docs && (
        <a href={docs} className={className} target="_blank" rel="noreferrer">
          {say(text.docs)}
        </a>
      )}
    </>
  );
}
