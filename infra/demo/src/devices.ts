import { deriveGuid, deriveNumber } from './random.ts';

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly operatingSystem: string;
  readonly browser: string;
  readonly userAgent: string;
  /** Null: the device is not registered, and records do not state whether it is managed. */
  readonly isManaged: boolean | null;
}

interface Model {
  readonly operatingSystem: string;
  readonly browser: string;
  readonly userAgent: string;
}

const laptops: readonly Model[] = [
  {
    operatingSystem: 'Windows 11',
    browser: 'Edge 141.0.0',
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
  },
  {
    operatingSystem: 'Windows 10',
    browser: 'Chrome 140.0.0',
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  },
  {
    operatingSystem: 'MacOs',
    browser: 'Safari 19.0',
    userAgent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 15_1) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
  },
];

const phones: readonly Model[] = [
  {
    operatingSystem: 'Ios 19.1',
    browser: 'Mobile Safari 19.1',
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  },
  {
    operatingSystem: 'Android 16',
    browser: 'Chrome Mobile 140.0.0',
    userAgent:
      'Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  },
];

/** The intruder's rented server, outside the company's network. */
export const intruderDevice: Device = {
  id: '',
  name: '',
  operatingSystem: 'Linux',
  browser: 'Firefox 128.0',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  isManaged: false,
};

export function createCompanyLaptop(owner: string, company: string): Device {
  const number = 1_000 + deriveNumber(9_000, owner, 'laptop');
  return {
    ...createDevice(owner, laptops),
    name: `${company.slice(0, 3).toUpperCase()}-LT-${number}`,
    isManaged: true,
  };
}

export function createPersonalComputer(owner: string, person: string): Device {
  return { ...createDevice(owner, laptops), name: `${person.split(' ')[0]}s computer`, isManaged: false };
}

export function createPhone(owner: string, person: string): Device {
  return { ...createDevice(owner, phones), name: `${person.split(' ')[0]}s phone`, isManaged: null };
}

function createDevice(owner: string, models: readonly Model[]): Omit<Device, 'name' | 'isManaged'> {
  const model = models[deriveNumber(models.length, owner, 'model')] as Model;
  return { ...model, id: deriveGuid(owner, model.operatingSystem, 'device') };
}
