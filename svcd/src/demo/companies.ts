/** A company of the demo, with words for headlines about it. */
export interface DemoCompany {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly products: readonly string[];
  readonly places: readonly string[];
  readonly themes: readonly string[];
  /** The score of its first audit, and the change in a year. */
  readonly score: number;
  readonly trend: number;
  /** The shares of its mentions that are positive and negative. */
  readonly praise: number;
  readonly blame: number;
  /** Its number of mentions, relative to other companies. */
  readonly fame: number;
}

export const DEMO_COMPANIES: readonly DemoCompany[] = [
  {
    id: 'com_halden_outdoor',
    name: 'Halden Outdoor',
    domain: 'haldenoutdoor.example',
    products: ['rain jackets', 'two-person tents', 'the repair service', 'recycled backpacks', 'rental skis'],
    places: ['Bergen', 'Innsbruck', 'Leeds', 'Gothenburg', 'Chamonix'],
    themes: [
      'repair instead of replacement',
      'wool from small farms',
      'packing light',
      'guided winter tours',
    ],
    score: 71,
    trend: 12,
    praise: 0.5,
    blame: 0.14,
    fame: 5,
  },
  {
    id: 'com_brightwater_energy',
    name: 'Brightwater Energy',
    domain: 'brightwater.example',
    products: [
      'heat pumps',
      'the community solar plan',
      'home batteries',
      'the night tariff',
      'smart meters',
    ],
    places: ['Cork', 'Rotterdam', 'Aarhus', 'Bristol', 'Porto'],
    themes: ['heating old houses', 'reading an energy bill', 'solar roofs for schools', 'storing the summer'],
    score: 58,
    trend: 19,
    praise: 0.38,
    blame: 0.25,
    fame: 7,
  },
  {
    id: 'com_kestrel_logistics',
    name: 'Kestrel Logistics',
    domain: 'kestrel-logistics.example',
    products: [
      'evening deliveries',
      'electric vans',
      'parcel lockers',
      'returns without labels',
      'cold freight',
    ],
    places: ['Lyon', 'Utrecht', 'Dortmund', 'Birmingham', 'Ghent'],
    themes: [
      'the last mile by bicycle',
      'quiet deliveries at night',
      'fewer empty trips',
      'safe loading bays',
    ],
    score: 66,
    trend: -9,
    praise: 0.27,
    blame: 0.36,
    fame: 8,
  },
  {
    id: 'com_maple_and_rye',
    name: 'Maple & Rye Bakeries',
    domain: 'mapleandrye.example',
    products: ['sourdough bread', 'the breakfast box', 'gluten-free rolls', 'cardamom buns', 'day-old bread'],
    places: ['Dresden', 'Antwerp', 'York', 'Malmö', 'Graz'],
    themes: [
      'bread without waste',
      'flour from the region',
      'apprentices on the early shift',
      'baking with rye',
    ],
    score: 80,
    trend: 4,
    praise: 0.58,
    blame: 0.1,
    fame: 4,
  },
  {
    id: 'com_orrin_health',
    name: 'Orrin Health',
    domain: 'orrin-health.example',
    products: [
      'video consultations',
      'the booking app',
      'travel vaccinations',
      'night clinics',
      'home blood tests',
    ],
    places: ['Vienna', 'Dublin', 'Turku', 'Lisbon', 'Basel'],
    themes: [
      'shorter waiting times',
      'plain words for diagnoses',
      'privacy of health records',
      'sleep at work',
    ],
    score: 62,
    trend: 8,
    praise: 0.35,
    blame: 0.22,
    fame: 6,
  },
];
