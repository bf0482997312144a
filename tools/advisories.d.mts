interface Advisory {
  package: string;
  id: string;
  severity: string;
  title: string;
  range: string;
}

interface Lock {
  packages: Record<string, { version?: string; name?: string; link?: boolean }>;
}

interface AdvisoryList {
  advisories: readonly Advisory[];
  accepted?: Readonly<Record<string, string>>;
}

type Found = Advisory & { version: string; path: string };

/** Advisories for the packages in the lock files of the repository. */
export function findInLocks(list: AdvisoryList): Found[];
export function isWithin(version: string, range: string): boolean;
export function findVulnerable(lock: Lock, list: AdvisoryList): Found[];
