/** What one in 125 sentences of users is about, or more, in the form that `contentOf` gives it. */
const mostFrequent = new Set(
  "test fil ad commit cod tim writ nam work second lin pag error show log start user ask branch fix call check fail version tabl build old number stay read list function script column api stop get server customer leav open tell messag through merg delet comment row data migration key minut request com job folder import dat mov releas edit find".split(
    " ",
  ),
);

/** What one in 500 is about. */
const frequent = new Set(
  "miss push touch doc order pr text return report wher stag client drop end typ answer export step limit chang repo twic updat day deploy ap load main config ticket endpoint hand imag tak button string oh onc query valu empty dev explain featur modul servic field pass ci packag port class output review between cach header not team hour project btw component creat happen local stor try flag install warn remov renam token nod print spac left liv model tag long default week link schema databas english shar full one real skip bug command pric prod restart clos email stat below point tab cas index everywher form python screen both german hook sav small dependency exist fyi green public send window generat git memory run dif exception slow variabl found month result copy guess lock login past pin pull retry split styl switch block invoic library question entry finish peopl sign upgrad year account break npm path support task count crash machin part search want format map mod night container draft phon alon bump db half better broken mock moment morn reason reset ship upload well abov box csv filter host parser turn unit whatever word apply clean docker mail match password readm requir sql top issu max ran train ui worker gon level rat secret view compar hm loop queu replac rest sourc timeout access admin around environment fre id min option policy seed went chart click compil cost expect inlin json mobil otherwis belong board cluster debug permission postgr production utc contain env raw rebas referenc set target terraform vendor whether address checkout connection devic flash friday includ null sensor short timestamp total enough expir follow icon idea locally money outsid session singl stick written backup convert different handler label pdf pnpm process refactor screenshot suit summary wrap backend behind decid gb linter mind notebook pick plac problem round siz sort stuf third background colour demo differenc forbidden help lost plain red sampl sit spec book fixtur hardcod input mb profil reject squash yet changelog character context exampl gpu great monday network pipelin player prefix sid stack anywher batch dump event helper least plot sent strip".split(
    " ",
  ),
);

/** How frequent a word is, from 0 to 2: that two sentences share it says the less. */
export function frequencyOf(word: string): number {
  if (mostFrequent.has(word)) return 2;
  return frequent.has(word) ? 1 : 0;
}
