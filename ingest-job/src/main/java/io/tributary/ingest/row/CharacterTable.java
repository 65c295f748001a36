package io.tributary.ingest.row;

import java.util.BitSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * What a server's character set means, as the server itself says. Java's tables of the same names
 * differ: they lack the Korean syllables beyond KS X 1001 in EUC-KR, the five bytes of latin1 that
 * Windows leaves open, the backslash of Shift-JIS and more.
 */
public final class CharacterTable {
  private final String name;

  /**
   * By the number that a character's bytes make, the first the highest. Texts of two or three bytes
   * have few different hashes, so that a map by them would be a long list.
   */
  private final Map<Integer, String> characters = new HashMap<>();

  /** First bytes of characters of several bytes. */
  private final BitSet leads = new BitSet(256);

  private final String[] single = new String[256];
  private final int mostBytes;

  /** Of a Unicode text; 0 for all others. */
  private final int unitBytes;

  private final boolean lowestFirst;

  /**
   * @param name the server's name of the set
   * @param characters each character of the set by its bytes, one {@code char} a byte
   */
  public CharacterTable(String name, Map<String, String> characters) {
    this.name = name;
    int most = 1;
    for (Map.Entry<String, String> one : characters.entrySet()) {
      String bytes = one.getKey();
      most = Math.max(most, bytes.length());
      if (bytes.length() == 1) {
        single[bytes.charAt(0)] = one.getValue();
      } else {
        leads.set(bytes.charAt(0));
        this.characters.put(number(bytes, 0, bytes.length()), one.getValue());
      }
    }
    this.mostBytes = most;
    this.unitBytes = 0;
    this.lowestFirst = false;
  }

  /**
   * A character set that is Unicode in units of two or four bytes. Java's decoders take a U+FEFF in
   * front of a text for a mark of the bytes' order, and drop it.
   *
   * @param name the server's name of the set
   * @return empty for any other set
   */
  public static Optional<CharacterTable> ofUnicode(String name) {
    return switch (name) {
      case "ucs2", "utf16" -> Optional.of(new CharacterTable(name, 2, false));
      case "utf16le" -> Optional.of(new CharacterTable(name, 2, true));
      case "utf32" -> Optional.of(new CharacterTable(name, 4, false));
      default -> Optional.empty();
    };
  }

  private CharacterTable(String name, int unitBytes, boolean lowestFirst) {
    this.name = name;
    this.mostBytes = unitBytes;
    this.unitBytes = unitBytes;
    this.lowestFirst = lowestFirst;
  }

  private static int number(String bytes, int from, int length) {
    int number = 0;
    for (int i = from; i < from + length; i++) {
      number = number << 8 | bytes.charAt(i) & 0xFF;
    }
    return number;
  }

  /**
   * @param bytes of a text, one {@code char} a byte
   * @throws UnfitValueException when they are no text of the set
   */
  public String decode(String bytes) {
    StringBuilder text = new StringBuilder(bytes.length());
    if (bytes.chars().anyMatch(one -> one > 0xFF)) {
      throw new UnfitValueException(
          "Cannot read a text: expected bytes of %s, found characters; the column was changed"
              .formatted(name));
    }
    if (unitBytes > 0) {
      decodeUnits(bytes, text);
      return text.toString();
    }
    for (int at = 0; at < bytes.length(); ) {
      String found = null;
      int length = 1;
      if (leads.get(bytes.charAt(at))) {
        for (length = 2; length <= mostBytes && at + length <= bytes.length(); length++) {
          found = characters.get(number(bytes, at, length));
          if (found != null) {
            break;
          }
        }
      }
      if (found == null) {
        length = 1;
        found = single[bytes.charAt(at)];
      }
      if (found == null) {
        throw new UnfitValueException(
            "Cannot read a text: expected characters of %s, found byte 0x%s at %d"
                .formatted(name, HexFormat.of().toHexDigits((byte) bytes.charAt(at)), at));
      }
      text.append(found);
      at += length;
    }
    return text.toString();
  }

  private void decodeUnits(String bytes, StringBuilder text) {
    for (int at = 0; at < bytes.length(); at += unitBytes) {
      int unit = -1;
      if (at + unitBytes <= bytes.length()) {
        unit = number(bytes, at, unitBytes);
        unit = lowestFirst ? (unit & 0xFF) << 8 | unit >>> 8 : unit;
      }
      if (unitBytes == 2 && unit >= 0) {
        text.append((char) unit);
      } else if (Character.isValidCodePoint(unit)) {
        text.appendCodePoint(unit);
      } else {
        throw noText(at);
      }
    }
    // Halves of a pair stand for nothing alone.
    if (text.codePoints().anyMatch(one -> one >= 0xD800 && one <= 0xDFFF)) {
      throw noText(0);
    }
  }

  private UnfitValueException noText(int at) {
    return new UnfitValueException(
        "Cannot read a text: expected characters of %s, found bytes that are none behind byte %d"
            .formatted(name, at));
  }
}
