import { Button, Menu, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { LogOut } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { useStatus } from '../../lib/api/status.ts';
import type { StoredUser } from '../../lib/storage.ts';
import { roleWords } from '../../shared/role-tag.tsx';
import { LazyMenu } from '../../shared/lazy/lazy-menu.tsx';
import { pages } from '../pages.ts';
import { isListed } from '../places.ts';
import { pageTitles, text } from '../text.ts';
import classes from './header.module.css';
import { PreferenceItems } from './preferences.tsx';
import { useLogOut } from '../../shared/use-log-out.ts';

/** The user menu with log-out; for guests, the log-in button. */
export function UserMenu() {
  const user = useCurrentUser();
  return user ? <PersonMenu user={user} /> : <GuestLinks />;
}

function PersonMenu({ user }: { user: StoredUser }) {
  const t = useTranslate();
  const logOut = useLogOut();
  const status = useStatus();
  const name = user.display_name || user.username;
  const listed = pages.filter((page) => page.account && isListed(page, user, status));
  return (
    <LazyMenu
      width={200}
      button={(props) => (
        <UnstyledButton {...props} aria-label={t(text.account, { name })} className={classes.avatar}>
          {name.slice(0, 1).toUpperCase()}
        </UnstyledButton>
      )}
    >
      <Menu.Dropdown>
        <Menu.Label>
          {name} · {t(roleWords(user.role))}
        </Menu.Label>
        {listed.map((page) => (
          <Menu.Item
            key={page.path}
            component={Link}
            to={page.path}
            leftSection={page.icon && <page.icon size={15} />}
          >
            {t(page.title)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <PreferenceItems />
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={15} />} onClick={logOut}>
          {t(text.logout)}
        </Menu.Item>
      </Menu.Dropdown>
    </LazyMenu>
  );
}

function GuestLinks() {
  const t = useTranslate();
  const status = useStatus();
  return (
    <>
      <Button component={Link} to="/login" variant="default" size="xs" className={classes.whole}>
        {t(pageTitles.login)}
      </Button>
      {status && !status.self_use_mode_enabled && (
        // A phone has room for one of them; the sheet has the other.
        <Button component={Link} to="/register" size="xs" className={classes.wideOnly}>
          {t(pageTitles.register)}
        </Button>
      )}
    </>
  );
}
