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
      /\b(?:immer noch|noch immer|noch nie|wie immer|nie wieder funktion|immer wieder|nie (?:fertig|funktioniert|gesehen|gehört|gewusst)|(?:es|das|er|sie|ich|test\w*|build\w*|server\w*|fehler\w*|seite\w*) (?:\S+ ){0,4}(?:nie|immer)\b|(?:ist|war|hat|bleibt|kommt) (?:\S+ ){0,2}(?:immer|nie)\b)/,
  },
  {
    words: "bis bevor solange ohne außer".split(" "),
    says: /^(?:bitte |und |aber |übrigens,? )*(?:\S+ ){1,8}(?:nicht|kein\w*|nichts)\b[^?]{0,120}\b(?:bis|bevor|solange|ohne|außer)\b/,
    unless: /\b(?:ich|es|das|warum|wieso|weiß|kann|konnte|funktioniert|geht)\b/,
  },
  {
    words:
      "frag frage wird finger kein keine keinen nur jedem jeder verwende nutze nimm benutze nicht nichts dass sollst antworte gehören".split(
        " ",
      ),
    says: /(?:(?:^|[,;:–—(]\s*|\b(?:und|bitte|aber|dann) )frage? (?:mich |bitte )?(?:vorher\b|erst\b|immer\b|[^?]{0,120}\bbevor\b|, bevor\b)|\bfrag mich, bevor\b|(?:^|, )(?:(?:auf|in|an|am|hier|ohne|vor)\b[^,?]{0,40}|(?:solange|bis|während)\b[^,?]{2,60},) ?wird (?:nicht|nichts|nie|nur)\b|\bfinger weg\b|^(?:bitte |übrigens,? |und |auch )*keine? (?!ahnung|problem|sorge|angst|zeit|lust|idee|fehler\b)(?:\S+ ){1,4}(?:auf|in|im|mit|ohne|für|an)\b|^(?:bitte )?keine [\w-]+s[.!]?$|\b(?:verwende|nutze|nimm|benutze|installiere) (?:bitte )?kein(?:e|en)?\b|\b(?:verwende|nutze|nimm|benutze) \S+(?: \S+){0,2}, nicht\b|\b(?:vor|nach|bei|mit) jede[mr] (?:commit|push|merge|deploy\w*|release|änderung|pr|schritt)\b|\bwir (?:deployen|mergen|releasen|liefern|pushen|verwenden|nutzen|schreiben|arbeiten) (?:\S+ ){0,3}nur\b|\bbitte nur (?:auf|in|mit|über|nach)\b|\b(?:fasst|änderst|löschst|pushst|mergst|deployst|committest|installierst) du (?:\S+ ){0,4}nicht|\bdu (?:pushst|mergst|deployst|committest|änderst|löschst|installierst) (?:\S+ ){0,3}nicht|\bich (?:möchte|will),? dass du (?:immer|nie|nicht|nichts|keine?|vor|nach|nur|erst|mich)\b|\bdu sollst (?:nicht|nichts|kein\w*|nur|immer)\b|\bantworte (?:mir )?(?:bitte )?(?:nur )?auf (?:deutsch|englisch|französisch|spanisch)|^(?:alle )?[\w-]+s gehören (?:in|neben|unter|nach)\b)/,
    unless: /\b(?:erst ?mal|vorerst|diesmal|noch nicht|gerade nicht)\b/,
  },
  // French
  {
    words:
      "jamais toujours désormais dorénavant maintenant l'avenir aucun interdit interdite interdits interdites obligatoire obligatoires sans tant pas tous toutes n'utilise n'utilisez uniquement souviens rappelle".split(
        " ",
      ),
    says: /(?:\bjamais\b|\btoujours\b|\bdésormais\b|\bdorénavant\b|à partir de maintenant|à l'avenir|en aucun cas|sous aucun prétexte|(?:est|sont) (?:interdit|obligatoire)e?s?\b|il est interdit|sans (?:me |mon |ma )?(?:demander|accord|autorisation|permission|validation)|tant que je|\bn[e'] ?\S{0,20} ?(?:\S+ ){0,4}pas\b[^?]{0,120}\b(?:avant|sans|tant que|sauf|jusqu)|(?:tous|toutes) les (?:\S+ ){1,4}doivent|n'utilisez? que|uniquement (?:utiliser|utilise)|souviens-toi que|rappelle-toi que)/,
    unless:
      /\b(?:toujours (?:pas|rien|en train|là|le même|la même)|jamais (?:vu|marché|fonctionné|entendu|eu|été)|(?:cela|il(?! ne faut| faut)|elle|c'est|j'ai|je) (?:\S+ ){0,3}(?:jamais|toujours)|comme toujours)|(?:^|\s)ça (?:\S+ ){0,3}(?:jamais|toujours)/,
  },
  {
    words:
      "pas demande demandez préviens faut dois chaque les nos évite évitez interdiction veux réponds répondez".split(
        " ",
      ),
    says: /(?:(?:^|[,;:] )on ne (?:touche|pousse|merge|déploie|utilise|modifie|commit|livre|supprime|fait)\w* pas\b|(?:^|, |: )pas de (?!problème|souci|panique|quoi|réponse|chance)\S+ (?:dans|sur|en|sans|avec|pour)\b|(?:demandez?|préviens|prévenez)-(?:moi|nous) (?:toujours )?(?:avant|d'abord)|(?:il faut|tu dois|vous devez) [^?]{2,60}(?:avant|après) chaque|\b(?:avant|après) chaque (?:commit|push|déploiement|merge|changement|modification|release)|utilisez? \S+(?: \S+)?, (?:et )?(?:pas|non)\b|(?:^|, |: )(?:les|nos) (?:messages de commit|commits|tests|branches|commentaires|migrations|prs?|noms) (?:\S+ ){0,3}?(?:sont en|vont|doivent|restent)\b|^(?:s'il te plaît,? )?n[e'] ?\S+ pas (?:les|des|aux|de) \S|(?:^|[,;:] )évite[zr]? (?:de|d'|les|des)|interdiction de|je veux que (?:tu|vous) [^?]{0,160}(?:avant|toujours|jamais|chaque)|(?:réponds|répondez|écris|parle)(?:-moi)? en (?:français|anglais|allemand|espagnol))/,
    unless: /pour l'instant|cette fois|pour le moment/,
  },
  // Spanish and Portuguese
  {
    words:
      "nunca jamás siempre sempre ahora agora ninguna nenhuma ningún nenhum está están queda é sin sem hasta até antes deben tienen devem têm recuerda".split(
        " ",
      ),
    says: /(?:\bnunca\b|\bjamás\b|\bsiempre\b|\bsempre\b|de ahora en adelante|a partir de (?:ahora|agora)|de agora em diante|bajo ninguna circunstancia|sob nenhuma circunstância|en ningún caso|em nenhum caso|de ninguna manera|(?:está|están|queda) prohibid|é proibid|\bn(?:o|ão) \S+ (?:\S+ ){0,8}(?:sin|sem|hasta que|até que|antes de)\b|tod[oa]s (?:l[oa]s |[oa]s )?(?:\S+ ){1,4}(?:deben|tienen que|devem|têm que)|recuerda que|sin (?:preguntarme|mi permiso|permiso|consultarme)|sem (?:me perguntar|minha permissão))/,
    unless:
      /\b(?:como (?:siempre|sempre)|siempre que (?:lo )?(?:ejecut|corr|intent)|casi (?:siempre|nunca)|quase (?:sempre|nunca)|nunca (?:he|ha|había|vi|visto)\b|(?:nunca|siempre|sempre) (?:carga|falla|falha|funcion\w*|termina|carrega|trava|cuelga|da|dá)\b|n(?:o|ão) (?:funciona|arranca|compila|carga|carrega|puedo|consigo|roda|corre)\b|(?:eso|esto|isso|isto|él|ella|lo) (?:\S+ ){0,2}(?:nunca|siempre|sempre))/,
  },
  {
    words:
      "toques uses modifiques borres hagas instales subas cambies mezcles mexa não apague instale modifique faça altere suba toque nada pregúntame pregunta pergunte avísame avisa avise consulte cada quiero quero evita evite solo sólo só los os nuestros nossos necesita precisa debe deve requiere responde responda".split(
        " ",
      ),
    says: /(?:(?:^|[,;:] )(?:por favor,? )?n(?:o|ão) (?:toques|uses|modifiques|borres|hagas|instales|subas|cambies|mezcles|mexa|apague|instale|modifique|faça|altere|suba|toque)\b|(?:pregúntame|avísame|(?:pregunta|avisa|pergunte|avise|consulte)(?:-me|me)?) (?:siempre |sempre )?antes|\bnada de \S+ (?:en|em|nos|nas|no|na)\b|(?:^|[,;:] )(?:los|os|nuestros|nossos) (?:commits|tests|testes|mensajes|mensagens|comentarios|comentários|prs?|branches|ramas) (?:\S+ ){0,3}?(?:van|deben|devem|ficam|tienen que|são em)\b|(?:antes|después|depois) de cada (?:commit|push|deploy|despliegue|merge|cambio|mudança)|(?:quiero|quero) que (?:me )?[^?]{0,160}(?:antes|siempre|sempre|nunca|cada)\b|(?:^|[,;:] )evit[ae] (?:\S+[aei]r|el uso|o uso)\b|\b(?:solo|sólo|só) (?:desplegamos|hacemos|publicamos|lanzamos|fazemos|usamos)|\btodo (?:pr|commit|cambio|código) (?:necesita|precisa|debe|deve|requiere)|respond[ea] (?:en|em) (?:español|inglés|portugués|português|inglês))/,
    unless: /aquí|\baqui\b|por ahora|por enquanto|todavía|\bainda\b|esta vez|desta vez/,
  },
  // "Use" is an English word as well, and this pattern is a short one.
  {
    words: "use usa".split(" "),
    says: /(?:^|[,;:] )(?:por favor,? )?n(?:o|ão) use\b|\bus[ae] \S+(?: \S+)?, n(?:o|ão) \S/,
    unless: /aquí|\baqui\b|por ahora|por enquanto|todavía|\bainda\b|esta vez|desta vez/,
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
    says: /(?:永远(?:不|别|都|要)|绝(?:对)?(?:不|禁)|千万(?:不|别)|从(?:现在|今)(?:起|开始|以后|往后)|以后(?:都|请|不|别|每|一律|只)|今后|无论如何(?:都)?(?:不|要)|任何情况下|务必|必须|一律|严禁|禁止|不得|不许|切勿|请勿|只能(?:用|使用|在|通过)|只(?:用|使用|准|许)|(?:总是|始终|一直)(?:要|用|使用|保持|先|在)|每次\S{0,12}(?:都要|都必须|之前|前|后)|(?:不要|别|不能|不可以?)\S{0,30}(?:之前|以前|除非|直到)|(?:除非|直到|没有|未经|经过?)\S{0,16}(?:不要|别|不能|不得|才能|不可)|记住|不准|别(?:碰|动|用|改|删|往|直接|擅自)|不要(?:直接|往|把|随便|擅自)|前(?:要|请|一定)?先(?:问|跑|运行|确认|通知)|用(?:英文|中文|英语|日语)(?:写|回答|回复)|我们只|以后\S{0,6}(?:回答|回复|提交)|(?:请|都|也)?不要(?:动|碰|改|修改|删除?|提交|使用|用|在\S{1,12}(?:提交|推送|使用|部署)))/,
    unless:
      /(?:先别|暂时|这次|不要这个|总是(?:报错|失败|出错|崩溃|不行)|一直(?:报错|失败|出错)|必须是因为|为什么|怎么)/,
  },
  // Japanese
  {
    words: [],
    script: /[\u3040-\u30ff]/,
    says: /(?:(?:し|触ら|使わ|消さ|変え|触れ)ないで|ては(?:いけ|なら|ダメ|だめ)|ないこと|すること[。.!]?$|前に\S{0,16}(?:確認|聞い|相談|連絡)|許可な[しく]|ではなく\S{1,20}使|(?:英語|日本語|中国語)(?:で|に)(?:書い|お願い|して|返信|回答)|今後[、は]|は禁止)/,
    unless: /まだ|今は|とりあえず|今回/,
  },
  // Japanese and Korean
  {
    words: [],
    script: /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/,
    says: /(?:絶対に|決して|必ず|今後は|これからは|いかなる場合も|常に|禁止(?:です|する|とする)|するまで\S{0,12}(?:しないで|禁止)|なしで\S{0,12}しないで|절대(?:로)?|항상|반드시|앞으로는|지금부터|금지)/,
  },
  // Russian and Polish
  {
    words: "nigdy pozorem zawsze teraz zabronione".split(" "),
    script: /[\u0400-\u04ff]/,
    says: /(?:никогда не|ни в коем случае|ни при каких|всегда (?:использ|запуск|провер|пиш|делай|спраш)|отныне|с этого момента|впредь|запрещено|без (?:моего|спроса|разрешения)|nigdy nie|pod żadnym pozorem|zawsze (?:uży|uruch|pis|pyt)|od teraz|zabronione)/,
    unless: /никогда не (?:видел|работал|было)/,
  },
];
