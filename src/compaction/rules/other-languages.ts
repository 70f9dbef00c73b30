/**
 * How rules are stated in languages other than English: words that say that something holds for good, and phrases with
 * the same words that say something else. Each pattern is tried on one sentence in lower case, if that has one of the
 * words that the pattern needs or is in its script.
 */
export const otherLanguages: readonly {
  words: readonly string[];
  script?: RegExp;
  says: RegExp;
  unless?: RegExp;
}[] = [
  // German
  {
    words:
      "niemals keinen keinesfalls keinem jetzt sofort heute nun künftig zukunft grundsätzlich ausnahmslos ohne tabu verboten erlaubt gestattet pflicht darf dürfen darfst alle jeder jede jedes nur merk denk bevor".split(
        " ",
      ),
    says: /\b(?:niemals|auf keinen fall|unter keinen umständen|keinesfalls|in keinem fall|ab (?:jetzt|sofort|heute)|von (?:nun|jetzt) an|künftig|in zukunft|grundsätzlich (?:nur|nicht|immer|nie|kein\w*)|ausnahmslos|ohne (?:rückfrage|rücksprache|meine|zu fragen|genehmigung|freigabe|erlaubnis)|(?:ist|sind) (?:tabu|verboten|nicht erlaubt|nicht gestattet|pflicht)|(?:darf|dürfen|darfst) (?:\S+ ){0,6}(?:nie|nicht|niemals|kein\w*|nur)\b|(?:alle|jeder|jede|jedes) (?:\S+ ){1,5}(?:muss|müssen)\b|nur (?:nach|mit) (?:rücksprache|freigabe|genehmigung|meiner|vorheriger)|merk dir|denk (?:immer )?daran,? dass|bevor ich (?:es |das )?(?:sage|freigebe|zustimme))/,
    unless: /\b(?:noch niemals|niemals (?:gesehen|gehört|funktioniert))/,
  },
  {
    words: "nie immer stets".split(" "),
    says: /(?:(?:^|[,;:–—]\s+|\b(?:bitte|und|aber|also|wir|du|sollst|sollen|soll|musst|müssen|muss|darfst)\s+)(?:\S+ ){0,5}|[,;:–—](?:[^\s,;:–—]+ (?:\S+ ){0,4})?)(?:nie|immer|stets)\b/,
    unless:
      /\b(?:immer noch|noch immer|noch nie|wie immer|nie wieder funktion|immer wieder|nie (?:fertig|funktioniert|gesehen|gehört|gewusst)|(?:es|das|er|sie|ich|test\w*|build\w*|server\w*|fehler\w*|seite\w*) (?:\S+ ){0,4}(?:nie|immer)\b)/,
  },
  {
    words: "bis bevor solange ohne außer".split(" "),
    says: /^(?:bitte |und |aber |übrigens,? )*(?:\S+ ){1,8}(?:nicht|kein\w*|nichts)\b[^?]{0,120}\b(?:bis|bevor|solange|ohne|außer)\b/,
    unless: /\b(?:ich|es|das|warum|wieso|weiß|kann|konnte|funktioniert|geht)\b/,
  },
  // French
  {
    words:
      "jamais toujours désormais dorénavant maintenant l'avenir aucun interdit interdite interdits interdites obligatoire obligatoires sans tant pas tous toutes n'utilise n'utilisez uniquement souviens rappelle".split(
        " ",
      ),
    says: /(?:\bjamais\b|\btoujours\b|\bdésormais\b|\bdorénavant\b|à partir de maintenant|à l'avenir|en aucun cas|sous aucun prétexte|(?:est|sont) (?:interdit|obligatoire)e?s?\b|il est interdit|sans (?:me |mon |ma )?(?:demander|accord|autorisation|permission|validation)|tant que je|\bn[e'] ?\S{0,20} ?(?:\S+ ){0,4}pas\b[^?]{0,120}\b(?:avant|sans|tant que|sauf|jusqu)|(?:tous|toutes) les (?:\S+ ){1,4}doivent|n'utilisez? que|uniquement (?:utiliser|utilise)|souviens-toi que|rappelle-toi que)/,
    unless:
      /\b(?:toujours (?:pas|rien|en train|là|le même|la même)|jamais (?:vu|marché|fonctionné|entendu|eu|été)|(?:ça|cela|il(?! ne faut| faut)|elle|c'est|j'ai|je) (?:\S+ ){0,3}(?:jamais|toujours)|comme toujours)/,
  },
  // Spanish and Portuguese
  {
    words:
      "nunca jamás siempre sempre ahora agora ninguna nenhuma ningún nenhum está están queda é sin sem hasta até antes deben tienen devem têm recuerda".split(
        " ",
      ),
    says: /(?:\bnunca\b|\bjamás\b|\bsiempre\b|\bsempre\b|de ahora en adelante|a partir de (?:ahora|agora)|de agora em diante|bajo ninguna circunstancia|sob nenhuma circunstância|en ningún caso|em nenhum caso|de ninguna manera|(?:está|están|queda) prohibid|é proibid|\bn(?:o|ão) \S+ (?:\S+ ){0,8}(?:sin|sem|hasta que|até que|antes de)\b|tod[oa]s (?:l[oa]s |[oa]s )?(?:\S+ ){1,4}(?:deben|tienen que|devem|têm que)|recuerda que|sin (?:preguntarme|mi permiso|permiso|consultarme)|sem (?:me perguntar|minha permissão))/,
    unless:
      /\b(?:como (?:siempre|sempre)|siempre que (?:lo )?(?:ejecut|corr|intent)|casi (?:siempre|nunca)|quase (?:sempre|nunca)|nunca (?:he|ha|había|vi|funcion\w*|termina|visto)\b|(?:eso|esto|isso|isto|él|ella|lo) (?:\S+ ){0,2}(?:nunca|siempre|sempre))/,
  },
  // Italian
  {
    words: "mai d'ora nessun è senza finché prima".split(" "),
    says: /(?:\bnon \S+ (?:\S+ )?mai\b|\bmai (?:e poi mai|\S+are|\S+ere|\S+ire)\b|d'ora in (?:poi|avanti)|in nessun caso|per nessun motivo|è vietat|non \S+ (?:\S+ ){0,8}(?:senza|finché|prima di)\b)/,
    unless: /\bnon (?:ho|ha|è|funziona) (?:\S+ )?mai\b/,
  },
  // Chinese
  {
    words: [],
    script: /[\u4e00-\u9fff]/,
    says: /(?:永远(?:不|别|都|要)|绝(?:对)?(?:不|禁)|千万(?:不|别)|从(?:现在|今)(?:起|开始|以后|往后)|以后(?:都|请|不|别|每|一律|只)|今后|无论如何(?:都)?(?:不|要)|任何情况下|务必|必须|一律|严禁|禁止|不得|不许|切勿|请勿|只能(?:用|使用|在|通过)|只(?:用|使用|准|许)|(?:总是|始终|一直)(?:要|用|使用|保持|先|在)|每次\S{0,12}(?:都要|都必须|之前|前|后)|(?:不要|别|不能|不可以?)\S{0,30}(?:之前|以前|除非|直到)|(?:除非|直到|没有|未经|经过?)\S{0,16}(?:不要|别|不能|不得|才能|不可)|记住|(?:请|都|也)?不要(?:动|碰|改|修改|删除?|提交|使用|用|在\S{1,12}(?:提交|推送|使用|部署)))/,
    unless: /(?:总是(?:报错|失败|出错|崩溃|不行)|一直(?:报错|失败|出错)|必须是因为|为什么|怎么)/,
  },
  // Japanese and Korean
  {
    words: [],
    script: /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/,
    says: /(?:絶対に|決して|必ず|今後は|これからは|いかなる場合も|常に|禁止(?:です|する|とする)|するまで\S{0,12}(?:しないで|禁止)|なしで\S{0,12}しないで|절대(?:로)?|항상|반드시|앞으로는|지금부터|금지)/,
  },
  // Russian and Polish
  {
    words: "nigdy pod zawsze od zabronione".split(" "),
    script: /[\u0400-\u04ff]/,
    says: /(?:никогда не|ни в коем случае|ни при каких|всегда (?:использ|запуск|провер|пиш|делай|спраш)|отныне|с этого момента|впредь|запрещено|без (?:моего|спроса|разрешения)|nigdy nie|pod żadnym pozorem|zawsze (?:uży|uruch|pis|pyt)|od teraz|zabronione)/,
    unless: /никогда не (?:видел|работал|было)/,
  },
];
